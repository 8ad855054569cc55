package io.enipam.emulator.api;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One HTTP request, read whole and decoded, within limits. Immutable.
 *
 * <p>A client sends a call in one of two forms: all in parameters (signature version 1), or the action and the other
 * common parameters in {@code x-acs-} headers and only the action's own in query and form (version 3).
 *
 * @param headers by name; they are given with names in any case, and kept with names in lower case
 */
public record Request(
        String method,
        String path,
        Map<String, String> query,
        Map<String, String> form,
        Map<String, String> headers,
        byte[] body) {
    private static final String NEW_SIGNATURE = "ACS3-";
    private static final Map<String, String> COMMON = Map.of(
            "Action", "x-acs-action",
            "Version", "x-acs-version",
            "SecurityToken", "x-acs-security-token");

    private static final int MOST_URI_CHARACTERS = 64 * 1024;
    private static final int MOST_BODY_BYTES = 256 * 1024;
    private static final int MOST_HEADER_CHARACTERS = 64 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int MOST_PARAMETERS = 2000;
    /** How much of a body that is too long is read and thrown away, so that the client gets to read the answer. */
    private static final int MOST_DRAINED = 16 * 1024 * 1024;

    public Request {
        headers = headers.entrySet().stream()
                .collect(Collectors.toMap(
                        header -> header.getKey().toLowerCase(Locale.ROOT),
                        header -> header.getValue().strip()));
    }

    /** The decoded query and form together, sorted by name. */
    public Map<String, String> queryAndForm() {
        TreeMap<String, String> both = new TreeMap<>(query);
        both.putAll(form);
        return both;
    }

    /** A header, by its name in lower case. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** Whether it is signed by version 3, which puts the common parameters into headers. */
    public boolean isSignedByHeader() {
        return header("authorization")
                .filter(value -> value.startsWith(NEW_SIGNATURE))
                .isPresent();
    }

    /** The parameters of the call, from wherever the client put them. */
    public Params params() {
        Map<String, String> all = queryAndForm();
        if (isSignedByHeader()) {
            COMMON.forEach((name, header) -> header(header).ifPresent(value -> all.put(name, value)));
            all.putIfAbsent("Format", wantsXml() ? "XML" : "JSON");
        }
        return new Params(all);
    }

    private boolean wantsXml() {
        return header("accept")
                .map(value -> value.toLowerCase(Locale.ROOT))
                .filter(value -> value.contains("xml") && !value.contains("json"))
                .isPresent();
    }

    /** A request to {@code /} of a client in this process. Throws ApiException if it cannot be decoded. */
    public static Request of(String method, String rawQuery, String rawForm) {
        Map<String, String> inQuery = decodeAll(rawQuery, Map.of());
        return new Request(method, "/", inQuery, decodeAll(rawForm, inQuery), Map.of(), new byte[0]);
    }

    /** Reads it. Throws ApiException if the request is too long or cannot be decoded. */
    public static Request read(HttpExchange exchange) {
        byte[] body = body(exchange);
        String query = exchange.getRequestURI().getRawQuery();
        if (exchange.getRequestURI().toString().length() > MOST_URI_CHARACTERS) {
            throw ApiError.URI_TOO_LONG.with(MOST_URI_CHARACTERS);
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
            throw ApiError.HEADER_TOO_LONG.with(MOST_HEADER_CHARACTERS);
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
                throw ApiError.BODY_TOO_LONG.with(MOST_BODY_BYTES);
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
                throw ApiError.MALFORMED_REQUEST.with("more than " + MOST_PARAMETERS + " parameters");
            }
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
            String before = params.put(name, value);
            if ((before != null && !before.equals(value))
                    || !others.getOrDefault(name, value).equals(value)) {
                throw ApiError.REPEATED_PARAMETER.with(name);
            }
        }
        return params;
    }

    private static String decode(String encoded) {
        try {
            return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw ApiError.MALFORMED_REQUEST.with(malformed.getMessage());
        }
    }
}
