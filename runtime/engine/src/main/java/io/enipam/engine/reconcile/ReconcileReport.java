package io.enipam.engine.reconcile;

import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What one comparison of the pool with the cloud did.
 *
 * @param startedAt when it began
 * @param finishedAt when it ended
 * @param listed how many resources the factories listed
 * @param findings what was found, losses first
 * @param problems what stood in the way, one line each; of what they are about, nothing was changed
 */
public record ReconcileReport(
        Instant startedAt, Instant finishedAt, int listed, List<Finding> findings, List<String> problems) {
    public ReconcileReport {
        findings = List.copyOf(findings);
        problems = List.copyOf(problems);
    }

    /** What became of a resource. */
    public enum Kind {
        /** The cloud has it no more: it is never lent again. */
        LOST,
        /** The cloud has it again, and so has its pod. */
        REGAINED,
        /** It was unknown, and is idle now. */
        ADOPTED,
        /** It was unknown, and goes back. */
        RETURNED,
        /** Its address is another resource's of the pool: it is kept aside until that one is gone. */
        CLASH
    }

    /**
     * One finding.
     *
     * @param pod the pod that has it, or that it was kept for, if there is one
     * @param detail what it means, one line for a person
     */
    public record Finding(Kind kind, Resource resource, Optional<PodRef> pod, String detail) {}

    /** How many findings are of a kind. */
    public int count(Kind kind) {
        return (int) findings.stream().filter(f -> f.kind() == kind).count();
    }
}
