package io.enipam.kubernetes.pods;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the rate limits of annotations into bytes a second. */
final class BandwidthParser {
    /** A number and at most one unit; units are powers of 1024, further letters have no meaning. */
    private static final Pattern TERWAYS = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*(?:([KMGT])(?:I?B)?|B)?");

    private static final String UNITS = "KMGT";
    private static final int UNIT = 1024;
    private static final BigDecimal BITS = BigDecimal.valueOf(8);
    private static final BigDecimal LEAST = BigDecimal.ONE;
    /** A petabyte a second. */
    private static final BigDecimal MOST = BigDecimal.valueOf(1L << 50);

    /** Parsing a number of a quarter of a million digits takes seconds. */
    private static final int LONGEST = 64;

    private BandwidthParser() {}

    private static String bounded(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("it has " + text.length() + " characters, and may have " + LONGEST);
        }
        return text.strip();
    }

    /**
     * Terway's format: bytes a second, {@code 10M}, {@code 1.5GiB}.
     *
     * @return 1 to 2^50 bytes a second
     * @throws IllegalArgumentException for any other text; the message says what is allowed
     */
    static long parseTerway(String text) {
        Matcher parts = TERWAYS.matcher(bounded(text).toUpperCase(Locale.ROOT));
        if (!parts.matches()) {
            throw new IllegalArgumentException("a number with B, K, M, G or T, such as 10M, is what it may be");
        }
        BigDecimal rate = new BigDecimal(parts.group(1));
        int power = parts.group(2) == null ? 0 : UNITS.indexOf(parts.group(2)) + 1;
        return checked(rate.multiply(BigDecimal.valueOf(UNIT).pow(power)));
    }

    /**
     * Kubernetes' format: bits a second as a quantity, {@code 10M}, {@code 1Gi}.
     *
     * @return 1 to 2^50 bytes a second
     * @throws IllegalArgumentException for any other text; the message says what is allowed
     * @see <a href="https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/#support-traffic-shaping">traffic shaping</a>
     */
    static long parseQuantity(String text) {
        String quantity = bounded(text);
        BigDecimal bytes;
        try {
            bytes = Quantity.getAmountInBytes(Quantity.parse(quantity)).divide(BITS);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("a quantity of bits a second, such as 10M, is what it may be", e);
        }
        return checked(bytes);
    }

    private static long checked(BigDecimal bytes) {
        if (bytes.compareTo(LEAST) < 0 || bytes.compareTo(MOST) > 0) {
            throw new IllegalArgumentException("it has to be between a byte and a petabyte a second");
        }
        return bytes.setScale(0, RoundingMode.DOWN).longValueExact();
    }
}
