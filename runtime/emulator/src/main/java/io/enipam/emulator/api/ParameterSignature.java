package io.enipam.emulator.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Signature version 1.0 (HMAC-SHA1) of the RPC protocol: one more parameter that covers all the others. */
public final class ParameterSignature {
    private ParameterSignature() {}

    /** What is signed: the method and all decoded parameters but the signature, sorted and encoded anew. */
    public static String stringToSign(String method, Map<String, String> params) {
        Map<String, String> covered = new TreeMap<>(params);
        covered.remove("Signature");
        return method + "&" + encode("/") + "&" + encode(canonical(covered));
    }

    /** The signature of that string, base64. */
    public static String sign(String secret, String stringToSign) {
        return Base64.getEncoder().encodeToString(Digests.hmac("HmacSHA1", secret + "&", stringToSign));
    }

    static boolean matches(String secret, String stringToSign, String signature) {
        return Digests.same(sign(secret, stringToSign), signature);
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
