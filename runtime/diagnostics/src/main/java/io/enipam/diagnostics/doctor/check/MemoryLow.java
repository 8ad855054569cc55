package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ProcessFacts;
import java.util.ArrayList;
import java.util.List;

/** Memory. */
final class MemoryLow implements Check {
    private static final int MUCH = 85;
    private static final int TOO_MUCH = 95;

    private static final About ABOUT = new About(
            "memory-low",
            "The daemon has hardly any memory left",
            Severity.CRITICAL,
            "What the last garbage collections of the JVM left of the heap, and the memory of the"
                    + " control group. WARN from 85 percent on, CRITICAL from 95.",
            "A full heap makes everything slow, a full control group has the process killed.",
            "raise the memory limit of the daemon; support-bundle, if it grows without end");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ProcessFacts process = facts.the(ProcessFacts.class);
        int heap = Say.percent(process.heapKept(), process.heapMost());
        int group = process.cgroup()
                .map(limit -> Say.percent(limit.used(), limit.limit()))
                .orElse(0);
        List<Evidence> evidence = new ArrayList<>();
        if (heap >= MUCH) {
            evidence.add(new Evidence(
                    "heap",
                    Say.bytes(process.heapKept()) + " of " + Say.bytes(process.heapMost()) + " stay used",
                    "host"));
        }
        if (group >= MUCH) {
            evidence.add(new Evidence(
                    "control group",
                    group + "% of " + Say.bytes(process.cgroup().orElseThrow().limit()),
                    "host"));
        }
        return Outcome.unless(
                evidence,
                Math.max(heap, group) < TOO_MUCH ? Severity.WARN : Severity.CRITICAL,
                "memory is nearly used up",
                heap + "% of the heap stay used");
    }
}
