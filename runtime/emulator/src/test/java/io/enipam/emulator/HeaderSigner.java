package io.enipam.emulator;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs by version 3 as its document says, sharing no code with the emulator: written from the five lines of the canonical
 * request downwards. A test may spoil any header after signing.
 */
final class HeaderSigner {
    private final URI endpoint;
    private final InstantSource clock;

    String accessKeyId = "testid";
    String accessKeySecret = "testsecret";
    final Map<String, String> extraHeaders = new TreeMap<>();
    /** Headers that are sent but not signed. */
    final Map<String, String> unsignedHeaders = new TreeMap<>();

    HeaderSigner(URI endpoint, InstantSource clock) {
        this.endpoint = endpoint;
        this.clock = clock;
    }

    HttpRequest.Builder get(String action, Map<String, String> query) {
        return request("GET", action, query, "");
    }

    HttpRequest.Builder post(String action, Map<String, String> query, Map<String, String> form) {
        extraHeaders.put("content-type", "application/x-www-form-urlencoded");
        return request("POST", action, query, encoded(form));
    }

    private HttpRequest.Builder request(String method, String action, Map<String, String> query, String body) {
        TreeMap<String, String> headers = new TreeMap<>();
        headers.put("host", endpoint.getAuthority());
        headers.put("x-acs-action", action);
        headers.put("x-acs-version", "2014-05-26");
        headers.put("x-acs-date", TestClient.timestamp(clock.instant()));
        headers.put("x-acs-signature-nonce", UUID.randomUUID().toString());
        headers.put("x-acs-content-sha256", sha256(body));
        headers.putAll(extraHeaders);
        String signature = hex(
                hmac(accessKeySecret, stringToSign(canonicalRequest(method, encoded(query), headers, sha256(body)))));
        headers.putAll(unsignedHeaders);
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.resolve("/?" + encoded(query)));
        headers.remove("host");
        headers.forEach(request::header);
        String covered = String.join(";", names(headers));
        request.header(
                "Authorization",
                "ACS3-HMAC-SHA256 Credential=" + accessKeyId + ",SignedHeaders=" + covered + ",Signature=" + signature);
        return request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    }

    private Iterable<String> names(Map<String, String> sent) {
        TreeMap<String, String> all = new TreeMap<>(sent);
        all.put("host", "");
        all.keySet().removeAll(unsignedHeaders.keySet());
        return all.keySet();
    }

    static String canonicalRequest(
            String method, String canonicalQuery, TreeMap<String, String> headers, String hashedBody) {
        StringBuilder text = new StringBuilder();
        text.append(method).append('\n').append("/\n").append(canonicalQuery).append('\n');
        headers.forEach((name, value) -> text.append(name + ":" + value.trim() + "\n"));
        return text.append('\n')
                .append(String.join(";", headers.keySet()))
                .append('\n')
                .append(hashedBody)
                .toString();
    }

    static String stringToSign(String canonicalRequest) {
        return "ACS3-HMAC-SHA256\n" + sha256(canonicalRequest);
    }

    static byte[] hmac(String secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }

    static String sha256(String text) {
        try {
            return hex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    private static String encoded(Map<String, String> params) {
        return new TreeMap<>(params)
                .entrySet().stream()
                        .map(e -> escape(e.getKey()) + "=" + escape(e.getValue()))
                        .collect(Collectors.joining("&"));
    }

    private static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
