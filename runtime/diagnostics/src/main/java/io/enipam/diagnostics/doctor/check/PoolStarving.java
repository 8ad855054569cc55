package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.diagnostics.doctor.fact.WatchFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A queue that does not empty. */
final class PoolStarving implements Check {
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration ALWAYS = Duration.ofSeconds(30);
    private static final Duration TOO_LONG = Duration.ofMinutes(2);

    private static final About ABOUT = new About(
            "pool-starving",
            "Callers wait long for addresses",
            Severity.CRITICAL,
            "The queue of the pool. WARN if somebody has waited for ten seconds, or at each look of"
                    + " 30 s, every two seconds, somebody waited; CRITICAL after two minutes of that.",
            "Pods start slowly or not at all: the cloud gives addresses more slowly than pods come.",
            "pool show; ecs calls --failed; raise pool.min_idle to keep more in stock");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EngineFacts engine = facts.the(EngineFacts.class);
        List<Evidence> waiting = engine.agenda().queue().stream()
                .filter(caller -> caller.since().plus(LONG).isBefore(facts.now()))
                .map(caller ->
                        new Evidence(String.valueOf(caller.pod()), "waits for an address", "pool", caller.since()))
                .toList();
        Optional<Instant> since = facts.the(WatchFacts.class).waitingSince();
        Duration always =
                since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
        if (waiting.isEmpty() && always.compareTo(ALWAYS) < 0) {
            return Outcome.ok("nobody waits for long");
        }
        List<Evidence> evidence = new ArrayList<>(waiting);
        if (since.isPresent()) {
            evidence.add(new Evidence("pool", "somebody waited at every look", "pool", since));
        }
        engine.agenda()
                .createTrouble()
                .ifPresent(trouble -> evidence.add(
                        new Evidence("factory", "made nothing: " + trouble.message(), "engine", trouble.at())));
        return Outcome.of(
                always.compareTo(TOO_LONG) < 0 ? Severity.WARN : Severity.CRITICAL,
                waiting.isEmpty()
                        ? "somebody has waited at every look for " + Say.span(always)
                        : Say.count(waiting.size(), "caller") + " waiting for more than " + Say.span(LONG),
                evidence);
    }
}
