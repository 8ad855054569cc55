package io.enipam.sdk;

import java.time.Duration;

/** A {@link Controller}'s answer about a key. */
public sealed interface Next {
    /** What the transaction wrote is kept. The key is reconciled when it is reported again. */
    record Done() implements Next {}

    /**
     * What the transaction wrote is kept. The key is reconciled after the time, or when it is reported again before that.
     *
     * @param after above zero
     * @param why for an operator, one line
     */
    record Again(Duration after, String why) implements Next {
        public Again {
            if (after.isNegative() || after.isZero()) {
                throw new IllegalArgumentException("again is after more than no time, got " + after);
            }
        }
    }

    /**
     * What the transaction wrote is dropped. The key is retried after a back-off ({@link Controller.Limits}), or when it is reported
     * again before that.
     *
     * @param kind for operators and metrics; each is retried
     * @param why for an operator, one line
     */
    record Retry(ErrorKind kind, String why) implements Next {}

    static Next done() {
        return new Done();
    }

    static Next again(Duration after, String why) {
        return new Again(after, why);
    }

    static Next retry(ErrorKind kind, String why) {
        return new Retry(kind, why);
    }
}
