package io.enipam.emulator.api;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One HTTP request, read whole and decoded. Immutable.
 *
 * <p>A caller says what it wants in one of two ways: all in parameters (signature version 1), or the action and the other
 * common parameters in {@code x-acs-} headers and only the action's own in query and form (version 3).
 */
public final class Request {
    private static final String NEW_SIGNATURE = "ACS3-";
    private static final Map<String, String> COMMON = Map.of(
            "Action", "x-acs-action",
            "Version", "x-acs-version",
            "SecurityToken", "x-acs-security-token");

    private final String method;
    private final String path;
    private final TreeMap<String, String> query;
    private final TreeMap<String, String> form;
    private final Map<String, String> headers;
    private final byte[] body;

    /**
     * Takes copies of the maps; the body is not to be changed any more.
     *
     * @param headers values by name; names in any case, spelt differently at most in case
     */
    public Request(
            String method,
            String path,
            Map<String, String> query,
            Map<String, String> form,
            Map<String, String> headers,
            byte[] body) {
        this.method = method;
        this.path = path;
        this.query = new TreeMap<>(query);
        this.form = new TreeMap<>(form);
        this.headers = new HashMap<>();
        headers.forEach((name, value) -> this.headers.put(name.toLowerCase(Locale.ROOT), value.strip()));
        this.body = body;
    }

    /** GET or POST. */
    public String method() {
        return method;
    }

    /** The path, decoded. */
    public String path() {
        return path;
    }

    /** The decoded query, sorted by name. */
    public Map<String, String> query() {
        return new TreeMap<>(query);
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

    /** Names of all headers, in lower case. */
    public Iterable<String> headerNames() {
        return headers.keySet();
    }

    /** The body as it came. */
    public byte[] body() {
        return body;
    }

    /** Whether it is signed by version 3, which puts the common parameters into headers. */
    public boolean isSignedByHeader() {
        return header("authorization")
                .filter(value -> value.startsWith(NEW_SIGNATURE))
                .isPresent();
    }

    /** What is asked, wherever it was said. */
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
}
