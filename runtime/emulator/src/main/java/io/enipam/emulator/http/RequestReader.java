package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Reads the parameters of a call out of query and form, within limits. */
final class RequestReader {
    static final int MOST_URI_CHARACTERS = 64 * 1024;
    static final int MOST_BODY_BYTES = 256 * 1024;
    private static final int MOST_PARAMETERS = 2000;
    /** How much of a body that is too long is read and thrown away, so that the client gets to read the answer. */
    private static final int MOST_DRAINED = 16 * 1024 * 1024;

    private RequestReader() {}

    /**
     * Reads them.
     *
     * @throws ApiException if the request is too long or cannot be decoded
     */
    static Params read(HttpExchange exchange) {
        Map<String, String> params = new TreeMap<>();
        String form = body(exchange);
        String query = exchange.getRequestURI().getRawQuery();
        if (exchange.getRequestURI().toString().length() > MOST_URI_CHARACTERS) {
            throw new ApiException(ApiError.URI_TOO_LONG, MOST_URI_CHARACTERS);
        }
        decode(query == null ? "" : query, params);
        if (isForm(exchange)) {
            decode(form, params);
        }
        return new Params(params);
    }

    private static boolean isForm(HttpExchange exchange) {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    private static String body(HttpExchange exchange) {
        try {
            InputStream in = exchange.getRequestBody();
            byte[] bytes = in.readNBytes(MOST_BODY_BYTES + 1);
            if (bytes.length > MOST_BODY_BYTES) {
                drain(in);
                throw new ApiException(ApiError.BODY_TOO_LONG, MOST_BODY_BYTES);
            }
            return new String(bytes, StandardCharsets.UTF_8);
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

    private static void decode(String encoded, Map<String, String> into) {
        for (String pair : encoded.split("&", MOST_PARAMETERS + 2)) {
            if (pair.isEmpty()) {
                continue;
            }
            if (into.size() >= MOST_PARAMETERS) {
                throw new ApiException(ApiError.MALFORMED_REQUEST, "more than " + MOST_PARAMETERS + " parameters");
            }
            int equals = pair.indexOf('=');
            into.put(
                    decode(equals < 0 ? pair : pair.substring(0, equals)),
                    equals < 0 ? "" : decode(pair.substring(equals + 1)));
        }
    }

    private static String decode(String encoded) {
        try {
            return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new ApiException(ApiError.MALFORMED_REQUEST, malformed.getMessage());
        }
    }
}
