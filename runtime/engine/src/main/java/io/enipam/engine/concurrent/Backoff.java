package io.enipam.engine.concurrent;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * Capped exponential backoff with jitter: the pause after the n-th failure in a row is {@code first * factor^(n-1)}, at most
 * {@code longest}, times a number drawn evenly from {@code least} to {@code most}, so that ten thousand nodes that fail in the same
 * second do not come back in the same second. Pure arithmetic; the caller counts the failures. Immutable.
 *
 * @param first the pause after the first failure, more than zero
 * @param longest no pause is longer, but for the jitter; at least {@code first}
 * @param factor what each further pause is longer by, at least 1
 * @param least lower bound of the jitter's factor, 0 to {@code most}
 * @param most upper bound of the jitter's factor
 */
public record Backoff(Duration first, Duration longest, double factor, double least, double most) {
    public Backoff {
        if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("needs 0 < first <= longest, got " + first + ", " + longest);
        }
        if (!(factor >= 1 && least >= 0 && most >= least)) {
            throw new IllegalArgumentException(
                    "needs factor >= 1 and 0 <= least <= most, got " + factor + ", " + least + ", " + most);
        }
    }

    /** Pauses that double, without jitter. */
    public static Backoff doubling(Duration first, Duration longest) {
        return new Backoff(first, longest, 2, 1, 1);
    }

    /** The same pauses, each times a number from {@code least} to {@code most}. */
    public Backoff jittered(double least, double most) {
        return new Backoff(first, longest, factor, least, most);
    }

    /** The same pauses, each shorter or longer by up to a part of it, 0 to 1. */
    public Backoff spread(double part) {
        return jittered(1 - part, 1 + part);
    }

    /**
     * The pause without jitter.
     *
     * @param failures in a row, at least 1
     */
    public Duration pause(int failures) {
        double grown = first.toNanos() * Math.pow(factor, Math.max(0, failures - 1));
        return Duration.ofNanos((long) Math.min(longest.toNanos(), grown));
    }

    /**
     * The pause with jitter.
     *
     * @param failures in a row, at least 1
     */
    public Duration pause(int failures, RandomGenerator random) {
        return jitter(pause(failures), least, most, random);
    }

    /** A time that is shorter or longer by up to a part of it, 0 to 1. */
    public static Duration spread(Duration about, double part, RandomGenerator random) {
        return jitter(about, 1 - part, 1 + part, random);
    }

    /** A time for a message: {@code 250 ms}, {@code 8 s}, {@code 60.8 s}. */
    public static String text(Duration time) {
        long millis = time.toMillis();
        DecimalFormat tenths = new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT));
        return millis < 1_000 ? millis + " ms" : tenths.format(millis / 1_000.0) + " s";
    }

    private static Duration jitter(Duration about, double least, double most, RandomGenerator random) {
        return Duration.ofNanos((long) (about.toNanos() * (least + (most - least) * random.nextDouble())));
    }
}
