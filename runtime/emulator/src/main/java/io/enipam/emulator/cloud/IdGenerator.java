package io.enipam.emulator.cloud;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Names that look random and depend on nothing but the seed, what is named and a number, so that a run can be repeated.
 * Thread-safe.
 */
public final class IdGenerator {
    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final int LENGTH = 20;

    private IdGenerator() {}

    /** {@code prefix-} and 20 lower-case letters and digits, as the cloud's own ids look. */
    public static String resource(long seed, String prefix, long number) {
        SplittableRandom random = random(seed, prefix, number);
        StringBuilder id = new StringBuilder(prefix).append('-');
        for (int i = 0; i < LENGTH; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }

    /** A locally administered unicast MAC address. */
    public static String mac(long seed, long number) {
        long bits = random(seed, "mac", number).nextLong();
        StringBuilder mac = new StringBuilder("02");
        for (int i = 0; i < 5; i++) {
            mac.append(':').append(String.format(Locale.ROOT, "%02x", (bits >>> (8 * i)) & 0xff));
        }
        return mac.toString();
    }

    /** A request id: a UUID in upper case. */
    public static String request(long seed, long number) {
        SplittableRandom random = random(seed, "request", number);
        return new UUID(random.nextLong(), random.nextLong()).toString().toUpperCase(Locale.ROOT);
    }

    private static SplittableRandom random(long seed, String what, long number) {
        return new SplittableRandom(new SplittableRandom(seed ^ what.hashCode()).nextLong() + number);
    }
}
