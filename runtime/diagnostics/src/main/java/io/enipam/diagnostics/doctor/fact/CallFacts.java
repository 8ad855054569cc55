package io.enipam.diagnostics.doctor.fact;

import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import java.util.List;
import java.util.Optional;

/**
 * How the cloud was asked, and answered.
 *
 * @param calls the last ones, the latest first
 * @param trouble why the cloud cannot be used now, if so
 * @param used whether this node needs it at all
 */
public record CallFacts(List<ApiQuotaStatus> budgets, List<CloudCall> calls, Optional<String> trouble, boolean used) {
    public CallFacts {
        budgets = List.copyOf(budgets);
        calls = List.copyOf(calls);
    }
}
