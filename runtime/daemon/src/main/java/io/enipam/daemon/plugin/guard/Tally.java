package io.enipam.daemon.plugin.guard;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one plugin while they count. Thread-safe. */
final class Tally {
    final LongAdder made = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder skipped = new LongAdder();
    final AtomicInteger overdue = new AtomicInteger();

    Counters read(String breaker) {
        return new Counters(
                made.sum(), failed.sum(), rejected.sum(), late.sum(), skipped.sum(), overdue.get(), breaker);
    }
}
