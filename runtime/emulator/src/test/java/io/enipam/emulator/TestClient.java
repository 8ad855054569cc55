package io.enipam.emulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.emulator.api.ParameterSignature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** A small client of the RPC protocol that signs as the documents say and lets a test spoil any part of a call. */
final class TestClient {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final InetSocketAddress address;
    private final InstantSource clock;

    TestClient(InetSocketAddress address, InstantSource clock) {
        this.address = address;
        this.clock = clock;
    }

    /** An answer. */
    record Answer(int status, String contentType, String text) {
        JsonNode json() {
            try {
                return JSON.readTree(text);
            } catch (IOException notJson) {
                throw new UncheckedIOException(notJson);
            }
        }

        /** {@code "404 InvalidEniId.NotFound"}. */
        String error() {
            return status + " " + json().path("Code").asText();
        }
    }

    /** Calls an ECS action; parameters come in pairs. */
    Answer call(String action, String... pairs) {
        return get(sign("GET", parameters(action, pairs)));
    }

    /** The parameters of a call, unsigned. */
    Map<String, String> parameters(String action, String... pairs) {
        Map<String, String> params = new TreeMap<>();
        params.put("Action", action);
        params.put("Version", "2014-05-26");
        params.put("Format", "JSON");
        params.put("RegionId", "cn-hangzhou");
        params.put("AccessKeyId", "testid");
        params.put("SignatureMethod", "HMAC-SHA1");
        params.put("SignatureVersion", "1.0");
        params.put("SignatureNonce", UUID.randomUUID().toString());
        params.put("Timestamp", timestamp(clock.instant()));
        for (int i = 0; i < pairs.length; i += 2) {
            params.put(pairs[i], pairs[i + 1]);
        }
        return params;
    }

    static String timestamp(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    static Map<String, String> sign(String method, Map<String, String> params) {
        return sign(method, params, "testsecret");
    }

    static Map<String, String> sign(String method, Map<String, String> params, String secret) {
        Map<String, String> signed = new TreeMap<>(params);
        signed.put("Signature", ParameterSignature.sign(secret, ParameterSignature.stringToSign(method, params)));
        return signed;
    }

    Answer get(Map<String, String> params) {
        return send(HttpRequest.newBuilder(uri("?" + encode(params))));
    }

    Answer postForm(Map<String, String> params) {
        return send(HttpRequest.newBuilder(uri(""))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(encode(params))));
    }

    Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response =
                    http.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.body());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    URI uri(String query) {
        return URI.create("http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + "/" + query);
    }

    static String encode(Map<String, String> params) {
        return params.entrySet().stream()
                .map(e -> URLEncoder.encode(e.getKey(), StandardCharsets.UTF_8) + "="
                        + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }
}
