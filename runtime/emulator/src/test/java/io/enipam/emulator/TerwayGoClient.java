package io.enipam.emulator;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.enipam.emulator.TestClient.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Sends what the Go client {@code denverdino/aliyungo} of early 2020 sends, and reads as it reads: signature version 1 over
 * GET, the parameters in Go's spelling of a query with the signature at its end; JSON decoded into typed fields, where a
 * number in a string field or the other way round is an error. The older form of the client posts a form instead.
 */
final class TerwayGoClient {
    private static final JsonMapper STRICT = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_PROPERTIES)
            .withCoercionConfig(LogicalType.Textual, config -> {
                for (CoercionInputShape shape : new CoercionInputShape[] {
                    CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean
                }) {
                    config.setCoercion(shape, CoercionAction.Fail);
                }
            })
            .withCoercionConfig(
                    LogicalType.Integer, config -> config.setCoercion(CoercionInputShape.Float, CoercionAction.Fail))
            .build();

    private final TestCloud cloud;
    private final String keyId;
    private final String secret;
    private final String token;
    private final Random random = new Random(2020);

    TerwayGoClient(TestCloud cloud, String keyId, String secret, String token) {
        this.cloud = cloud;
        this.keyId = keyId;
        this.secret = secret;
        this.token = token;
    }

    /** Calls ECS and decodes the answer. */
    <T> T ecs(Class<T> type, String action, String... pairs) {
        return decode(type, ok(action, get("2014-05-26", action, pairs)));
    }

    /** Calls VPC and decodes the answer. */
    <T> T vpc(Class<T> type, String action, String... pairs) {
        return decode(type, ok(action, get("2016-04-28", action, pairs)));
    }

    /** Calls ECS with a form and decodes the answer. */
    <T> T ecsByForm(Class<T> type, String action, String... pairs) {
        Map<String, String> params = params("2014-05-26", action, pairs);
        params.put("Signature", signature("POST", params));
        return decode(
                type,
                ok(
                        action,
                        cloud.client.send(HttpRequest.newBuilder(cloud.client.uri(""))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .POST(BodyPublishers.ofString(encode(params))))));
    }

    /** Calls any product and does not care how it ends. */
    Answer get(String version, String action, String... pairs) {
        Map<String, String> params = params(version, action, pairs);
        String query =
                encode(params) + "&Signature=" + URLEncoder.encode(signature("GET", params), StandardCharsets.UTF_8);
        return cloud.client.send(HttpRequest.newBuilder(cloud.client.uri("?" + query))
                .header("X-SDK-Client", "AliyunGO/0.1")
                .header("User-Agent", " Kubernetes.Alicloud"));
    }

    static <T> T decode(Class<T> type, String text) {
        try {
            return STRICT.readValue(text, type);
        } catch (IOException notAsDeclared) {
            throw new UncheckedIOException(text, notAsDeclared);
        }
    }

    private static String ok(String action, Answer answer) {
        if (answer.status() >= 400) {
            throw new AssertionError(action + " was refused: " + answer.text());
        }
        return answer.text();
    }

    private Map<String, String> params(String version, String action, String... pairs) {
        Map<String, String> params = new TreeMap<>();
        params.put("Format", "JSON");
        params.put("Version", version);
        params.put("AccessKeyId", keyId);
        params.put("SignatureMethod", "HMAC-SHA1");
        params.put("Timestamp", TestClient.timestamp(cloud.clock.instant()));
        params.put("SignatureVersion", "1.0");
        params.put("SignatureNonce", Long.toString(random.nextLong() & Long.MAX_VALUE, 36));
        params.put("Action", action);
        params.put("RegionId", "cn-hangzhou");
        for (int i = 0; i < pairs.length; i += 2) {
            params.put(pairs[i], pairs[i + 1]);
        }
        if (!token.isEmpty()) {
            params.put("SecurityToken", token);
        }
        return params;
    }

    /** url.Values.Encode: sorted, a blank is a plus. */
    private static String encode(Map<String, String> params) {
        return params.entrySet().stream()
                .map(entry -> goEscape(entry.getKey()) + "=" + goEscape(entry.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String goEscape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    private String signature(String method, Map<String, String> params) {
        String canonical = encode(params).replace("+", "%20").replace("%7E", "~");
        String text = method + "&%2F&" + goEscape(canonical);
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec((secret + "&").getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException absent) {
            throw new IllegalStateException(absent);
        }
    }
}
