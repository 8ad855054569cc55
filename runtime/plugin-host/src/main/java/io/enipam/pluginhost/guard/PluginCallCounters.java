package io.enipam.pluginhost.guard;

import java.util.concurrent.atomic.LongAdder;

/** The counts of one plugin; see {@link PluginCallCounts}. Thread-safe, and cheap enough for every call. */
final class PluginCallCounters {
    final LongAdder made = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder late = new LongAdder();
    final LongAdder skipped = new LongAdder();

    void count(CallFailure trouble) {
        (trouble.threw() ? failed : rejected).increment();
    }
}
