package io.enipam.aliyun.eni;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The cloud's idempotency keys, derived from the wishes they serve: the same wishes on the same ENI in the same round give
 * the same key, so a call whose answer was lost is repeated and not doubled.
 */
final class ClientTokens {
    private ClientTokens() {}

    /** @param scope what is called on what, such as {@code assign eni-1} */
    static String of(String scope, List<AddressRequest> tickets) {
        StringBuilder text = new StringBuilder(scope);
        tickets.forEach(ticket ->
                text.append('\n').append(ticket.token().value()).append(' ').append(ticket.round()));
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return "enipam-" + HexFormat.of().formatHex(hash, 0, 24);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
