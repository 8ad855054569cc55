package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.lease.GarbageCollector.GcReport;
import java.util.List;

/**
 * What a garbage collection would take now, and would have taken a moment ago.
 *
 * @param leases confirmed by both looks
 * @param problems what kept the collection from judging a lease
 */
public record StaleFacts(List<GcReport.Collected> leases, List<String> problems) {
    public StaleFacts {
        leases = List.copyOf(leases);
        problems = List.copyOf(problems);
    }
}
