package io.enipam.pluginhost.controller;

import io.enipam.pluginhost.controller.ControllerView.Counts;
import io.enipam.sdk.Next;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** How reconciles of one controller ended since the daemon started. Thread-safe. */
final class ReconcileCounts {
    private final LongAdder done = new LongAdder();
    private final LongAdder again = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    void add(Next next, Duration took) {
        LongAdder count = next instanceof Next.Done ? done : next instanceof Next.Again ? again : retries;
        count.increment();
        nanos.add(took.toNanos());
    }

    Counts now() {
        return new Counts(done.sum(), again.sum(), retries.sum(), Duration.ofNanos(nanos.sum()));
    }
}
