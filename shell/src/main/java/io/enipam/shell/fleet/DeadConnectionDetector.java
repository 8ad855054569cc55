package io.enipam.shell.fleet;

import java.time.Duration;

/**
 * Notices a line that is dead without having broken, as when the network goes with which somebody sits: what is sent into it goes
 * nowhere, and TCP takes a quarter of an hour to find out.
 *
 * <p>One message that nobody answers proves nothing: some need no answer, and some answers take their time. But somebody who asks
 * again, and has waited long for that too, has asked a dead line: the daemon answers its state at once. Thread-safe.
 */
final class DeadConnectionDetector {
    /** What is sent so soon after something belongs to it. */
    private static final long TOGETHER = Duration.ofSeconds(1).toNanos();

    static final Duration ENOUGH = Duration.ofSeconds(15);

    private boolean asked;
    private boolean again;
    private long first;
    private long second;

    /** Something was sent. */
    synchronized void recordSent(long nanos) {
        if (!asked) {
            asked = true;
            first = nanos;
        } else if (!again && nanos - first > TOGETHER) {
            again = true;
            second = nanos;
        }
    }

    /** Something came. */
    synchronized void recordReceived() {
        asked = false;
        again = false;
    }

    /** Whether the line is dead. */
    synchronized boolean isTimedOut(long nanos) {
        return again && nanos - second > ENOUGH.toNanos();
    }
}
