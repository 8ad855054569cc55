package io.enipam.store.testing;

import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * What of the unforced writes and names is on a disk after the power went.
 *
 * @param choice decides each sector and each change of a name; empty: they all fare alike
 * @param everything whether all of it is there, when they fare alike
 */
record PowerLoss(Optional<RandomGenerator> choice, boolean everything) {
    /** How many of so many changes, which follow on each other, made it. */
    int kept(int changes) {
        return choice.map(random -> random.nextInt(changes + 1)).orElse(everything ? changes : 0);
    }

    /** A length from what was forced to what was written. */
    int length(int forced, int written) {
        return choice.map(random -> switch (random.nextInt(3)) {
                    case 0 -> forced;
                    case 1 -> written;
                    default -> Math.min(forced, written) + random.nextInt(Math.abs(written - forced) + 1);
                })
                .orElse(everything ? written : forced);
    }
}
