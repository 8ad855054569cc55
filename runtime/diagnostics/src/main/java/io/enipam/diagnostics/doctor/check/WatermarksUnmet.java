package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;

/** Watermarks above what there can be. */
final class WatermarksUnmet implements Check {
    private static final About ABOUT = new About(
            "watermarks-unmet",
            "The watermarks cannot be met",
            Severity.CRITICAL,
            "Configuration and capacity. WARN if pool.min_idle is above what the node can ever have, CRITICAL if the node"
                    + " can have nothing at all. An upper watermark above it is met by any stock.",
            "The stock that somebody counts on will never be there.",
            "config show | grep pool; lower pool.min_idle, or use a larger instance type");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EngineFacts engine = facts.the(EngineFacts.class);
        if (!engine.serves()) {
            return Outcome.skipped("the engine does not serve yet");
        }
        int capacity = engine.pool().capacity();
        if (capacity == 0) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "this node can have no address at all",
                    new Evidence("pool", "its capacity is 0", "pool"));
        }
        int wanted = engine.config().minIdle();
        return wanted > capacity
                ? Outcome.of(
                        Severity.WARN,
                        "more is wanted idle than the " + capacity + " addresses this node can have",
                        new Evidence("pool.min_idle", wanted + " is wanted, " + capacity + " is in force", "config"))
                : Outcome.ok(
                        "the node can have " + capacity + " addresses, and at least " + wanted + " are wanted idle");
    }
}
