package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ProcessFacts;
import java.util.List;

/** Threads that wait for ever. */
final class Deadlocked implements Check {
    private static final About ABOUT = new About(
            "deadlocked",
            "Threads of the daemon wait for each other for ever",
            Severity.CRITICAL,
            "The threads of the process. CRITICAL for any two that wait for each other.",
            "What they were doing never ends; more and more waits for it.",
            "jcmd $(pidof java) Thread.print > threads.txt; restart the daemon; report it");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        List<String> names = facts.the(ProcessFacts.class).deadlocked();
        return names.isEmpty()
                ? Outcome.ok("no thread waits for ever")
                : Outcome.of(
                        Severity.CRITICAL,
                        Say.count(names.size(), "thread") + " wait for each other for ever",
                        names.stream()
                                .map(name -> new Evidence(name, "waits for ever", "host"))
                                .toList());
    }
}
