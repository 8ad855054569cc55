package io.enipam.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request that an {@link HttpEndpoint} serves. Immutable. */
public interface HttpRequest {
    /** {@code GET}, {@code POST} and so on. */
    String method();

    /** Without the query, decoded: {@code /IpamDriver.RequestPool}. */
    String path();

    /** The parameters of the query, decoded; each with its values in their order. */
    Map<String, List<String>> parameters();

    /** By name in small letters; each with its values in their order. */
    Map<String, List<String>> headers();

    /** A copy of the body; empty where it has none. */
    byte[] body();

    /** Who asks; empty for a port. */
    Optional<Peer> peer();

    /** The body as UTF-8. */
    default String text() {
        return new String(body(), UTF_8);
    }

    /** One as a test makes it, without parameters, headers and peer. */
    static HttpRequest of(String method, String path, String body) {
        record Made(
                String method,
                String path,
                Map<String, List<String>> parameters,
                Map<String, List<String>> headers,
                String text,
                Optional<Peer> peer)
                implements HttpRequest {
            @Override
            public byte[] body() {
                return text.getBytes(UTF_8);
            }
        }
        return new Made(method, path, Map.of(), Map.of(), body, Optional.empty());
    }
}
