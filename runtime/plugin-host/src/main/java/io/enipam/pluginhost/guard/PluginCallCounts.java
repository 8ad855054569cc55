package io.enipam.pluginhost.guard;

import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * What became of the calls of a plugin since the daemon's start. A call may count twice: one that is late and throws in the
 * end is late and failed.
 *
 * @param made calls the plugin was given
 * @param failed calls, and a factory's items, that ended with an exception or an error
 * @param rejected answers that were null, of the wrong shape or out of bounds
 * @param late calls that did not return within their deadline
 * @param skipped calls the plugin was not given: its breaker was open, its places were full, it was overdue
 * @param overdue calls that are beyond their deadline and have not returned
 * @param breaker the worst state of its breakers
 */
public record PluginCallCounts(
        long made, long failed, long rejected, long late, long skipped, int overdue, BreakerState breaker) {
    /** What a breaker lets through; from good to bad. */
    public enum BreakerState {
        /** Every call. */
        CLOSED,
        /** One call, to see whether it works again. */
        HALF_OPEN,
        /** No call. */
        OPEN
    }

    /** The counts of one plugin and its last failures; see {@link PluginCallCounts}. Thread-safe, and cheap enough for every call. */
    static final class PluginCallCounters {
        final LongAdder made = new LongAdder();
        final LongAdder skipped = new LongAdder();
        final RecentFailures recent;

        private final LongAdder failed = new LongAdder();
        private final LongAdder rejected = new LongAdder();
        private final LongAdder late = new LongAdder();

        PluginCallCounters(TimeSource time) {
            recent = new RecentFailures(time);
        }

        /** @param part what failed, here and below: {@code factory cidr} */
        void count(String part, CallFailure trouble) {
            (trouble.threw() ? failed : rejected).increment();
            recent.add(part, trouble.text(), trouble.stack());
        }

        void threw(String part, String what, Throwable thrown) {
            count(part, CallFailure.threw(what, thrown));
        }

        void rejected(String part, String text) {
            count(part, CallFailure.rejected(text));
        }

        void late(String part, String text) {
            late.increment();
            recent.add(part, text, List.of());
        }

        PluginCallCounts now(int overdue, BreakerState breaker) {
            return new PluginCallCounts(
                    made.sum(), failed.sum(), rejected.sum(), late.sum(), skipped.sum(), overdue, breaker);
        }
    }
}
