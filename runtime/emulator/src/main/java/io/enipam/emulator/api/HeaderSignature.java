package io.enipam.emulator.api;

import io.enipam.emulator.api.ApiError.ApiException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signature version 3 (ACS3-HMAC-SHA256): an Authorization header that covers method, path, query, body and the headers it
 * names. The document is "V3 request structure and signature" of the Alibaba Cloud SDK.
 *
 * @param accessKeyId whose key signed
 * @param signedHeaders names of the headers covered, in lower case, as the client lists them
 * @param signature lower-case hex
 */
record HeaderSignature(String accessKeyId, List<String> signedHeaders, String signature) {
    static final String ALGORITHM = "ACS3-HMAC-SHA256";
    private static final String MAC = "HmacSHA256";

    HeaderSignature {
        signedHeaders = List.copyOf(signedHeaders);
    }

    /**
     * Reads the header: {@code ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=a;b,Signature=HEX}, the parts in any order.
     *
     * @throws ApiException IncompleteSignature, or that a part is missing
     */
    static HeaderSignature parse(String authorization) {
        int space = authorization.indexOf(' ');
        if (space < 0 || !authorization.substring(0, space).equals(ALGORITHM)) {
            throw ApiError.INCOMPLETE_SIGNATURE.with("the algorithm must be " + ALGORITHM);
        }
        Map<String, String> parts = new HashMap<>();
        for (String part : authorization.substring(space + 1).split(",")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                parts.put(
                        part.substring(0, equals).strip(),
                        part.substring(equals + 1).strip());
            }
        }
        List<String> headers = Arrays.stream(
                        part(parts, "SignedHeaders", ApiError.MISSING_SIGNATURE).split(";"))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .toList();
        return new HeaderSignature(
                part(parts, "Credential", ApiError.MISSING_ACCESS_KEY),
                headers,
                part(parts, "Signature", ApiError.MISSING_SIGNATURE));
    }

    /**
     * Fails if a header that must be covered is not. Clients of some languages leave out {@code host}; the cloud lets
     * them.
     */
    void requireCovered(Request request) {
        List<String> uncovered = new ArrayList<>();
        for (String name : request.headerNames()) {
            if (name.startsWith("x-acs-") && !signedHeaders.contains(name)) {
                uncovered.add(name);
            }
        }
        if (!uncovered.isEmpty()) {
            uncovered.sort(null);
            throw ApiError.INCOMPLETE_SIGNATURE.with("SignedHeaders leaves out " + String.join(";", uncovered));
        }
    }

    /** The request in the one spelling that both sides sign. The body counts by what came, not by what a header says. */
    String canonicalRequest(Request request) {
        List<String> names = signedHeaders.stream().sorted().toList();
        StringBuilder headers = new StringBuilder();
        for (String name : names) {
            headers.append(name)
                    .append(':')
                    .append(request.header(name).orElse(""))
                    .append('\n');
        }
        return String.join(
                "\n",
                request.method(),
                request.path(),
                ParameterSignature.canonical(request.query()),
                headers.toString(),
                String.join(";", names),
                sha256(request.body()));
    }

    /** What is signed. */
    static String stringToSign(String canonicalRequest) {
        return ALGORITHM + "\n" + sha256(canonicalRequest.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether the signature is right. Takes as long for a wrong one as for a right one. */
    boolean matches(String secret, String stringToSign) {
        return MessageDigest.isEqual(
                sign(secret, stringToSign).getBytes(StandardCharsets.UTF_8),
                signature.getBytes(StandardCharsets.UTF_8));
    }

    /** The signature of that string, lower-case hex. */
    static String sign(String secret, String stringToSign) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), MAC));
            return HexFormat.of().formatHex(mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no HMAC-SHA256, which every Java must have", absent);
        }
    }

    private static String part(Map<String, String> parts, String name, ApiError missing) {
        return Optional.ofNullable(parts.get(name))
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> missing.with());
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException("this Java has no SHA-256, which every Java must have", absent);
        }
    }
}
