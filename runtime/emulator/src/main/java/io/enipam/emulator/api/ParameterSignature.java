package io.enipam.emulator.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signature version 1.0 (HMAC-SHA1) of the RPC protocol: one more parameter that covers all the others. */
public final class ParameterSignature {
    private static final String ALGORITHM = "HmacSHA1";
    private static final String SIGNATURE = "Signature";

    private ParameterSignature() {}

    /** What is signed: the method and all decoded parameters but the signature, sorted and encoded anew. */
    public static String stringToSign(String method, Map<String, String> params) {
        Map<String, String> covered = new TreeMap<>(params);
        covered.remove(SIGNATURE);
        return method + "&" + encode("/") + "&" + encode(canonical(covered));
    }

    /** The signature of that string, base64. */
    public static String sign(String secret, String stringToSign) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec((secret + "&").getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return Base64.getEncoder().encodeToString(mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no HMAC-SHA1, which the protocol needs", absent);
        }
    }

    /** Whether the signature is right. Takes as long for a wrong one as for a right one. */
    public static boolean matches(String secret, String stringToSign, String signature) {
        return MessageDigest.isEqual(
                sign(secret, stringToSign).getBytes(StandardCharsets.UTF_8),
                signature.getBytes(StandardCharsets.UTF_8));
    }

    /** A name or value as both signatures spell it (RFC 3986): only letters, digits and {@code -_.~} stay as they are. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /** {@code a=1&b=}, sorted by name. */
    static String canonical(Map<String, String> params) {
        return new TreeMap<>(params)
                .entrySet().stream()
                        .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                        .collect(Collectors.joining("&"));
    }
}
