package io.enipam.examples.resilient;

import java.util.concurrent.atomic.LongAdder;

/** What happened since the factory was opened. Thread-safe. */
final class ResilienceCounters {
    final LongAdder created = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder refusedByBreaker = new LongAdder();
    final LongAdder refusedByRate = new LongAdder();
    final LongAdder listsAsked = new LongAdder();
    final LongAdder listsOfProvider = new LongAdder();
}
