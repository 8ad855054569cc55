package io.enipam.engine.gc;

import io.enipam.engine.gc.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Lease;
import java.time.Instant;
import java.util.List;

/**
 * What one garbage collection found and did.
 *
 * @param startedAt when it began
 * @param finishedAt when it ended
 * @param dryRun whether it only looked
 * @param examined leases looked at
 * @param collected leases whose pod is gone: ended, or, in a dry run, those that would be
 * @param spared leases whose pod seems to be gone, and which stay all the same
 * @param problems what kept a lease from being judged or ended, one line each
 */
public record GcReport(
        Instant startedAt,
        Instant finishedAt,
        boolean dryRun,
        int examined,
        List<Collected> collected,
        List<Spared> spared,
        List<String> problems) {
    public GcReport {
        collected = List.copyOf(collected);
        spared = List.copyOf(spared);
        problems = List.copyOf(problems);
    }

    /**
     * One lease that ended, or would.
     *
     * @param lease the lease
     * @param reason why: the pod is gone, has finished, or is another one of the same name
     */
    public record Collected(Lease lease, String reason) {}

    /**
     * One lease that stays though its pod seems to be gone.
     *
     * @param lease the lease
     * @param decision why, and until when
     */
    public record Spared(Lease lease, OrphanDecision.Spared decision) {}
}
