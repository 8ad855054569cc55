package io.enipam.emulator.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
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
        return method + "&" + PercentEncoding.encode("/") + "&"
                + PercentEncoding.encode(PercentEncoding.canonical(covered));
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
}
