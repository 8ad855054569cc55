package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Reads a request, within limits. */
final class RequestReader {
    static final int MOST_URI_CHARACTERS = 64 * 1024;
    static final int MOST_BODY_BYTES = 256 * 1024;
    static final int MOST_HEADER_CHARACTERS = 64 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int MOST_PARAMETERS = 2000;
    /** How much of a body that is too long is read and thrown away, so that the client gets to read the answer. */
    private static final int MOST_DRAINED = 16 * 1024 * 1024;

    private RequestReader() {}

    /**
     * Reads it.
     *
     * @throws ApiException if the request is too long or cannot be decoded
     */
    static Request read(HttpExchange exchange) {
        byte[] body = body(exchange);
        String query = exchange.getRequestURI().getRawQuery();
        if (exchange.getRequestURI().toString().length() > MOST_URI_CHARACTERS) {
            throw new ApiException(ApiError.URI_TOO_LONG, MOST_URI_CHARACTERS);
        }
        Map<String, String> inQuery = decodeAll(query == null ? "" : query, Map.of());
        Map<String, String> inForm =
                isForm(exchange) ? decodeAll(new String(body, StandardCharsets.UTF_8), inQuery) : Map.of();
        return new Request(
                exchange.getRequestMethod(),
                // OPTIONS * and mailto:x have none
                Objects.requireNonNullElse(exchange.getRequestURI().getPath(), ""),
                inQuery,
                inForm,
                headers(exchange),
                body);
    }

    private static Map<String, String> headers(HttpExchange exchange) {
        Map<String, String> headers = new TreeMap<>();
        int length = 0;
        for (var header : exchange.getRequestHeaders().entrySet()) {
            String value = String.join(",", header.getValue());
            length += header.getKey().length() + value.length();
            headers.put(header.getKey(), value);
        }
        if (length > MOST_HEADER_CHARACTERS || headers.size() > MOST_HEADERS) {
            throw new ApiException(ApiError.HEADER_TOO_LONG, MOST_HEADER_CHARACTERS);
        }
        return headers;
    }

    private static boolean isForm(HttpExchange exchange) {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    private static byte[] body(HttpExchange exchange) {
        try {
            InputStream in = exchange.getRequestBody();
            byte[] bytes = in.readNBytes(MOST_BODY_BYTES + 1);
            if (bytes.length > MOST_BODY_BYTES) {
                drain(in);
                throw new ApiException(ApiError.BODY_TOO_LONG, MOST_BODY_BYTES);
            }
            return bytes;
        } catch (IOException torn) {
            throw new UncheckedIOException(torn);
        }
    }

    private static void drain(InputStream in) throws IOException {
        byte[] waste = new byte[8192];
        int left = MOST_DRAINED;
        int read = in.read(waste);
        while (read >= 0 && left > 0) {
            left -= read;
            read = in.read(waste);
        }
    }

    /** A name may come twice, in query and form, if it says the same: some clients send everything both ways. */
    private static Map<String, String> decodeAll(String encoded, Map<String, String> others) {
        Map<String, String> params = new TreeMap<>();
        for (String pair : encoded.split("&", MOST_PARAMETERS + 2)) {
            if (pair.isEmpty()) {
                continue;
            }
            if (params.size() + others.size() >= MOST_PARAMETERS) {
                throw new ApiException(ApiError.MALFORMED_REQUEST, "more than " + MOST_PARAMETERS + " parameters");
            }
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
            String before = params.put(name, value);
            if ((before != null && !before.equals(value))
                    || !others.getOrDefault(name, value).equals(value)) {
                throw new ApiException(ApiError.REPEATED_PARAMETER, name);
            }
        }
        return params;
    }

    private static String decode(String encoded) {
        try {
            return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new ApiException(ApiError.MALFORMED_REQUEST, malformed.getMessage());
        }
    }
}
