package io.enipam.emulator.metadata;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tokens of the metadata service's token mode. A token carries its own end, sealed; none is stored. Thread-safe. */
final class MetadataTokens {
    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    MetadataTokens(long seed) {
        key = new SecretKeySpec(("metadata " + seed).getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /** A token that is good until then. */
    String issue(Instant expires) {
        String end = Long.toString(expires.getEpochSecond());
        return end + "-" + seal(end);
    }

    /** Whether it is one of ours and its time is not over. */
    boolean isGood(String token, Instant now) {
        int dash = token.indexOf('-');
        if (dash <= 0) {
            return false;
        }
        String end = token.substring(0, dash);
        // the seal first: an end that we sealed is a number
        return MessageDigest.isEqual(
                        seal(end).getBytes(StandardCharsets.UTF_8),
                        token.substring(dash + 1).getBytes(StandardCharsets.UTF_8))
                && now.getEpochSecond() < Long.parseLong(end);
    }

    private String seal(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no HMAC-SHA256, which every Java must have", absent);
        }
    }
}
