package io.enipam.aliyun.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The cloud's idempotency key of a call. */
public final class ClientToken {
    private ClientToken() {}

    /**
     * The key that follows from a text: a call whose answer was lost is repeated with the same key, and not doubled. All clients of
     * the account share the space of keys, so the text says who calls.
     */
    public static String of(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "enipam-" + HexFormat.of().formatHex(hash, 0, 24);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
