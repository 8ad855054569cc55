package io.enipam.daemon.plugin.guard;

import java.util.concurrent.atomic.LongAdder;

/** The counts of one plugin; see {@link Counters}. Thread-safe, and cheap enough for every call. */
final class Tally {
    final LongAdder made = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder skipped = new LongAdder();

    void count(Trouble trouble) {
        (trouble.threw() ? failed : rejected).increment();
    }
}
