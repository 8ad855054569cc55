package io.enipam.frontends.rpc;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudErrorCount;
import io.enipam.v1.ListCloudCallsRequest;
import java.time.Duration;
import java.util.List;

/** The calls that this daemon made to the cloud, and their budget. Thread-safe. */
record ApiCallHandler(ApiCallLog log) {
    /**
     * The calls that match the request, the latest first.
     *
     * @throws io.enipam.engine.model.IpamException if there is no such API, or the limit is negative
     */
    List<ApiCallLog.CloudCall> calls(ListCloudCallsRequest request) {
        if (!request.getApi().isEmpty() && CloudApi.ofWireName(request.getApi()).isEmpty()) {
            throw GrpcFailures.invalid(
                    "this daemon does not call an API '" + request.getApi() + "'", "'ecs budget' shows those it calls");
        }
        if (request.getLimit() < 0) {
            throw GrpcFailures.invalid("a limit of " + request.getLimit() + " calls", "it is 1 or more, or 0 for all");
        }
        return log.calls().stream()
                .filter(call -> request.getApi().isEmpty() || call.api().equals(request.getApi()))
                .filter(call -> !request.getFailed() || call.failed())
                .limit(request.getLimit() == 0 ? ApiCallLog.RING : request.getLimit())
                .toList();
    }

    List<CloudApiBudget> budget() {
        return Proto.all(log.quotaStatus(), ApiCallHandler::budget);
    }

    private static CloudApiBudget budget(ApiQuotaStatus api) {
        CloudApiBudget.Builder wire = CloudApiBudget.newBuilder()
                .setP50(Proto.duration(api.quantile(0.5)))
                .setP99(Proto.duration(api.quantile(0.99)))
                .setMax(Proto.duration(api.latencies().longest().orElse(Duration.ZERO)));
        api.errorsByCount()
                .forEach((code, count) -> wire.addErrors(
                        CloudErrorCount.newBuilder().setCode(code).setCount(count)));
        api.latencies().buckets().forEach(bucket -> Proto.fill(wire.addLatenciesBuilder(), bucket));
        return Proto.fill(wire, api, api.quota()).build();
    }
}
