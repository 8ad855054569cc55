package io.enipam.emulator.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Signature version 3 (ACS3-HMAC-SHA256): an Authorization header that covers method, path, query, body and the headers
 * it names. The document is "V3 request structure and signature" of the Alibaba Cloud SDK.
 *
 * @param signedHeaders names of the headers covered, in lower case, as the client lists them
 * @param signature lower-case hex
 */
record HeaderSignature(String accessKeyId, List<String> signedHeaders, String signature) {
    static final String ALGORITHM = "ACS3-HMAC-SHA256";

    HeaderSignature {
        signedHeaders = List.copyOf(signedHeaders);
    }

    /**
     * Reads the header: {@code ACS3-HMAC-SHA256 Credential=ID,SignedHeaders=a;b,Signature=HEX}, the parts in any order.
     * Throws ApiException IncompleteSignature, or that a part is missing.
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
        List<String> uncovered = request.headers().keySet().stream()
                .filter(name -> name.startsWith("x-acs-") && !signedHeaders.contains(name))
                .sorted()
                .toList();
        if (!uncovered.isEmpty()) {
            throw ApiError.INCOMPLETE_SIGNATURE.with("SignedHeaders leaves out " + String.join(";", uncovered));
        }
    }

    /** The request in the one spelling that both sides sign. The body counts by what came, not by what a header says. */
    String canonicalRequest(Request request) {
        List<String> names = signedHeaders.stream().sorted().toList();
        String headers = names.stream()
                .map(name -> name + ":" + request.header(name).orElse("") + "\n")
                .collect(Collectors.joining());
        return String.join(
                "\n",
                request.method(),
                request.path(),
                ParameterSignature.canonical(request.query()),
                headers,
                String.join(";", names),
                Digests.sha256(request.body()));
    }

    static String stringToSign(String canonicalRequest) {
        return ALGORITHM + "\n" + Digests.sha256(canonicalRequest.getBytes(StandardCharsets.UTF_8));
    }

    boolean matches(String secret, String stringToSign) {
        byte[] expected = Digests.hmac("HmacSHA256", secret, stringToSign);
        return Digests.same(HexFormat.of().formatHex(expected), signature);
    }

    private static String part(Map<String, String> parts, String name, ApiError missing) {
        return Optional.ofNullable(parts.get(name))
                .filter(value -> !value.isEmpty())
                .orElseThrow(() -> missing.with());
    }
}
