package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Evidence;
import io.enipam.daemon.doctor.Facts;
import io.enipam.daemon.doctor.Outcome;
import io.enipam.daemon.doctor.Severity;
import io.enipam.daemon.doctor.fact.EngineFacts;
import io.enipam.daemon.doctor.fact.WatchFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A queue that does not empty. */
final class PoolStarving implements Check {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration TOO_LONG = Duration.ofMinutes(2);

    private static final About ABOUT = new About(
            "pool-starving",
            "Callers wait for addresses all the time",
            Severity.CRITICAL,
            "The queue of the pool, looked at every two seconds. WARN if at each look for 30 s"
                    + " somebody waited, CRITICAL after two minutes.",
            "Pods start slowly or not at all: the cloud gives addresses more slowly than pods come.",
            "pool show; ecs calls --failed; raise pool.min_idle to keep more in stock");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Optional<Instant> since = facts.the(WatchFacts.class).waitingSince();
        Duration waited =
                since.map(begun -> Duration.between(begun, facts.now())).orElse(Duration.ZERO);
        if (waited.compareTo(LONG) < 0) {
            return Outcome.ok("nobody waits for long");
        }
        Severity severity = waited.compareTo(TOO_LONG) < 0 ? Severity.WARN : Severity.CRITICAL;
        return Outcome.of(
                severity,
                "somebody has waited for an address at every look for " + Say.span(waited),
                new Evidence(
                        "pool",
                        Say.count(facts.the(EngineFacts.class).pool().waiting(), "caller") + " now",
                        "pool",
                        since));
    }
}
