package io.enipam.aliyun.eni;

import java.time.Duration;

/**
 * How often and how long to look. The first looks come quickly, so that a fast cloud gives a fast first address, and stay
 * below a second for as long as an attach usually takes (2 to 5 s); peers begin with 3 s, which is where this ends.
 */
final class PollSchedule {
    /** After this without an answer in kind, the same may be asked again: an attach takes 2 to 5 s. */
    static final Duration OVERDUE = Duration.ofSeconds(10);
    /** After this a list of the cloud knows of a change; the metadata service is known to lag by up to 3 s. */
    static final Duration SETTLED = Duration.ofSeconds(5);
    /** How long changes are remembered: a reading of the cloud takes less, its waits for limits included. */
    static final Duration REMEMBERED = Duration.ofMinutes(5);
    /** After this an ENI on its way is called stuck. */
    static final Duration STUCK = Duration.ofSeconds(60);

    /** How often a lost ENI is tried to be attached again. */
    static final int REATTACHES = 6;
    /** An ENI that was attached again, and is taken off within this time, has that many tries in all. */
    static final Duration STAYS = Duration.ofMinutes(10);

    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration USUAL = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(3);
    /** Looks within the time that is usual: some 9 s in all. */
    private static final int USUAL_LOOKS = 14;

    private static final Duration STUCK_LOOK = Duration.ofSeconds(30);

    private PollSchedule() {}

    /**
     * The pause before a further try to attach a lost ENI again: the client's back-off, in larger steps.
     *
     * @param tries those that failed, at least 1
     */
    static Duration beforeReattach(int tries) {
        return Duration.ofSeconds(1L << tries);
    }

    /** @param look 0 for the first look after something was asked */
    static Duration before(int look, boolean stuck) {
        if (stuck) {
            return STUCK_LOOK;
        }
        if (look >= USUAL_LOOKS) {
            return LONGEST;
        }
        Duration wait = FIRST.multipliedBy(1L << look);
        return wait.compareTo(USUAL) < 0 ? wait : USUAL;
    }
}
