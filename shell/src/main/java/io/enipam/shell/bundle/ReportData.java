package io.enipam.shell.bundle;

import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import java.util.List;

/**
 * What the report draws. Whatever the daemon did not answer is empty.
 *
 * @param samples the oldest first
 * @param events the oldest first
 * @param failedCalls of the cloud, the latest first
 */
public record ReportData(
        GetStatusReply status,
        GetMetersReply meters,
        List<HistorySample> samples,
        List<CloudApiBudget> apis,
        List<CloudCall> failedCalls,
        List<Eni> enis,
        List<Event> events) {
    public ReportData {
        samples = List.copyOf(samples);
        apis = List.copyOf(apis);
        failedCalls = List.copyOf(failedCalls);
        enis = List.copyOf(enis);
        events = List.copyOf(events);
    }
}
