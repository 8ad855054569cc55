package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.OrderFacts;
import java.time.Duration;
import java.time.Instant;

/** A pool that somebody emptied, and may have forgotten. */
final class PoolDrained implements Check {
    private static final About ABOUT = new About(
            "pool-drained",
            "The pool was told to give back what is idle",
            Severity.INFO,
            "The order that 'pool drain' gave. INFO as long as it is in force: it has no end of its own.",
            "Nothing is kept in stock, whatever the watermarks say: each pod waits for the cloud.",
            "pool drain --undo");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        OrderFacts told = facts.the(OrderFacts.class);
        if (!told.drained()) {
            return Outcome.ok("nobody told the pool to empty itself");
        }
        Instant since = told.order().since();
        return Outcome.of(
                Severity.INFO,
                "drained for " + Say.span(Duration.between(since, facts.now()))
                        + ", until 'pool drain --undo': nothing is kept in stock",
                new Evidence(
                        "pool",
                        "drained until somebody ends it; told by "
                                + (told.by().isEmpty() ? "nobody knows whom" : told.by()),
                        "order",
                        since));
    }
}
