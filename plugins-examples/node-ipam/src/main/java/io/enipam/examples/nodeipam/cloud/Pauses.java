package io.enipam.examples.nodeipam.cloud;

import java.time.Duration;

/**
 * How long to wait between two attempts that are made for ever. Immutable.
 *
 * @param usual after one that worked
 * @param first after one that failed; twice as long after each further one in a row
 * @param longest after one that failed
 */
record Pauses(Duration usual, Duration first, Duration longest) {
    private static final int MOST_DOUBLINGS = 20;

    /** Those of Kubernetes' {@code IPAMFromCluster} and {@code IPAMFromCloud}. */
    static final Pauses DEFAULT = new Pauses(Duration.ofSeconds(30), Duration.ofMillis(250), Duration.ofSeconds(10));

    /** @param failures in a row, 0 if the last attempt worked */
    Duration after(int failures) {
        if (failures == 0) {
            return usual;
        }
        Duration pause = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }
}
