package io.enipam.emulator.action;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

/** Tells whether two calls ask the same, however often they are sent and signed. */
final class RequestFingerprint {
    /** What differs between two sendings of one request. */
    private static final Set<String> ENVELOPE = Set.of(
            "AccessKeyId",
            "Format",
            "SecurityToken",
            "Signature",
            "SignatureMethod",
            "SignatureNonce",
            "SignatureType",
            "SignatureVersion",
            "Timestamp");

    private RequestFingerprint() {}

    /**
     * Lower-case hex, equal for equal parameters.
     *
     * @param params sorted by name
     * @param but names that do not count either
     */
    static String of(Map<String, String> params, Set<String> but) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            params.forEach((name, value) -> {
                if (!ENVELOPE.contains(name) && !but.contains(name)) {
                    // lengths keep "a"+"bc" and "ab"+"c" apart
                    digest.update((name.length() + ":" + name + value.length() + ":" + value)
                            .getBytes(StandardCharsets.UTF_8));
                }
            });
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException absent) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", absent);
        }
    }
}
