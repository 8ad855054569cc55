package io.enipam.emulator.api;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Digests of texts, by algorithms that every Java has. */
public final class Digests {
    private Digests() {}

    /** The keyed digest by an algorithm of {@link Mac}. */
    public static byte[] hmac(String algorithm, String key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), algorithm));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no " + algorithm + ", which every Java must have", absent);
        }
    }

    /** Lower-case hex of the SHA-256 digest. */
    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", absent);
        }
    }

    /** Whether two texts are equal. Takes as long for different ones as for equal ones. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
