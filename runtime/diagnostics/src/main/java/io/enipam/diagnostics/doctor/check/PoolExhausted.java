package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;

/** A pool at its end. */
final class PoolExhausted implements Check {
    private static final About ABOUT = new About(
            "pool-exhausted",
            "No address is left and no more can be made",
            Severity.CRITICAL,
            "The pool. CRITICAL if callers wait, none is idle and the pool is at its capacity; WARN"
                    + " if it is there and nobody waits yet. What cools down or is reserved is named: it"
                    + " comes back.",
            "The next pod on this node stays without network.",
            "pod list; move pods to another node, or allow more: 'config show' names pool.capacity"
                    + " and max_eni; gc run if pods are gone");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EngineFacts engine = facts.the(EngineFacts.class);
        PoolView pool = engine.pool();
        if (!engine.serves() || pool.capacity() == 0) {
            return Outcome.skipped(
                    engine.serves()
                            ? "the pool has no capacity; see watermarks-unmet"
                            : "the engine does not serve yet");
        }
        int idle = pool.count(ResourceState.IDLE);
        int held = pool.entries().size() + pool.creating();
        if (idle > 0 || held < pool.capacity()) {
            return Outcome.ok(idle + " idle, " + Math.max(0, pool.capacity() - held) + " more could be made");
        }
        int coming = pool.count(ResourceState.COOLING) + pool.count(ResourceState.RESERVED);
        Evidence full = new Evidence(
                "pool",
                "capacity " + pool.capacity() + ": " + pool.count(ResourceState.IN_USE) + " in use, " + coming
                        + " cooling or reserved, " + pool.creating() + " being made, "
                        + pool.count(ResourceState.DISPOSING)
                        + " going, " + pool.count(ResourceState.INVALID) + " invalid",
                "pool");
        return pool.waiting() > 0
                ? Outcome.of(
                        Severity.CRITICAL,
                        Say.count(pool.waiting(), "caller") + " wait, and all " + pool.capacity()
                                + " addresses are taken",
                        full)
                : Outcome.of(Severity.WARN, "all " + pool.capacity() + " addresses are taken", full);
    }
}
