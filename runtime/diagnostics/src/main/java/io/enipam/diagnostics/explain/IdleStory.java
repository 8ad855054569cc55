package io.enipam.diagnostics.explain;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.Optional;

/** What becomes of an address that nobody has: by the watermarks, and by what somebody told the pool over them. */
final class IdleStory {
    private final Scene scene;
    private final PoolView.Entry entry;

    IdleStory(Scene scene, PoolView.Entry entry) {
        this.scene = scene;
        this.entry = entry;
    }

    void tell(Telling telling) {
        CapacityOverride order = scene.order();
        switch (order.kind()) {
            case NONE -> {
                telling.why("idle: nobody has it, and the next pod may get it");
                scene.pool().ifPresent(pool -> watermarks(pool, 0, telling));
            }
            case WARM -> {
                telling.why("idle: nobody has it, and the next pod may get it");
                scene.pool().ifPresent(pool -> warm(pool, order, telling));
            }
            case DRAINED -> drained(order, telling);
        }
    }

    /** @param kept how many an order keeps idle */
    private void watermarks(PoolView pool, int kept, Telling telling) {
        int idle = pool.count(ResourceState.IDLE);
        int most = Math.max(pool.maxIdle(), kept);
        if (idle > most) {
            telling.why("more are idle (" + idle + ") than "
                            + (kept > pool.maxIdle() ? "the order keeps" : "the upper watermark") + " (" + most + ")")
                    .next(
                            scene.agenda().next().check(),
                            "the watermarks are looked at: by policy '" + pool.policy() + "' it may be given back");
        }
    }

    private void warm(PoolView pool, CapacityOverride order, Telling telling) {
        telling.why("'pool warm " + order.idle() + "' keeps as many idle until "
                + order.until().map(Instant::toString).orElse("it ends")
                + (order.met() ? "; they were made, and what pods take is not made again" : ""));
        watermarks(pool, order.idle(), telling);
        telling.next(
                order.until(),
                pool.count(ResourceState.IDLE) > pool.maxIdle()
                        ? "the order ends: of what is idle above the upper watermark (" + pool.maxIdle()
                                + ") it may be given back"
                        : "the order ends: policy '" + pool.policy() + "' alone decides again");
    }

    private void drained(CapacityOverride order, Telling telling) {
        telling.why("idle, and the pool was told at " + order.since()
                + " to give back what is idle: 'pool drain' is in force");
        if (scene.agenda().queue().isEmpty() && goesLast()) {
            telling.why("it is the primary address of ENI " + Scene.eniOf(entry)
                            + ", which other addresses of the pool are still on")
                    .next(Optional.empty(), "it goes back with its ENI, when the others have gone");
        } else if (scene.agenda().queue().isEmpty()) {
            telling.next(scene.agenda().next().check(), "it is given back by then, if it has not gone before");
        } else {
            telling.why("pods wait for addresses, and nothing goes back while they do")
                    .next(Optional.empty(), "the next of them gets it, or it is given back");
        }
        telling.next(Optional.empty(), "after 'pool drain --undo' it stays, and the next pod may get it");
    }

    private boolean goesLast() {
        return entry.resource().primary()
                && scene.entries()
                        .anyMatch(other ->
                                !other.resource().id().equals(entry.resource().id())
                                        && Scene.eniOf(other).equals(Scene.eniOf(entry)));
    }
}
