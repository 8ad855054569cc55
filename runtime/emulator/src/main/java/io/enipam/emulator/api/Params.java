package io.enipam.emulator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.emulator.api.ApiError.ApiException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The parameters of a call, decoded, from query and form together. An empty value counts as absent, as in the real API.
 * Lists are spelt {@code Name.1}, {@code Name.2}; gaps are allowed. Immutable.
 */
public final class Params {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** What differs between two sendings of one request. */
    private static final Set<String> ENVELOPE = Set.of(
            "AccessKeyId",
            "Format",
            "SecurityToken",
            "Signature",
            "SignatureMethod",
            "SignatureNonce",
            "SignatureType",
            "SignatureVersion",
            "Timestamp");

    private final TreeMap<String, String> values;

    public Params(Map<String, String> values) {
        this.values = new TreeMap<>(values);
    }

    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name)).filter(value -> !value.isEmpty());
    }

    /** Whether something passes a filter: the parameter is absent or has this value. */
    public boolean asks(String name, String value) {
        return get(name).map(value::equals).orElse(true);
    }

    /** The same with another name for a parameter. */
    Params renamed(String from, String to) {
        Map<String, String> renamed = new TreeMap<>(values);
        get(from).ifPresent(value -> renamed.put(to, value));
        renamed.remove(from);
        return new Params(renamed);
    }

    /** A parameter that must be there. Throws ApiException MissingParameter. */
    public String require(String name) {
        return require(name, ApiError.MISSING_PARAMETER);
    }

    /** A parameter that must be there, with an error of its own if it is not. */
    public String require(String name, ApiError missing) {
        return get(name).orElseThrow(() -> missing.with(name));
    }

    /**
     * A number between two bounds, both included. Throws ApiException InvalidParameter if it is no number or out of
     * bounds.
     */
    public Optional<Integer> integer(String name, int least, int most) {
        return get(name).map(text -> {
            int value = text.matches("[+-]?[0-9]{1,9}") ? Integer.parseInt(text) : Integer.MIN_VALUE;
            if (value < least || value > most) {
                throw invalid(name);
            }
            return value;
        });
    }

    /** {@code true} or {@code false}. Throws ApiException InvalidParameter if it is neither. */
    public Optional<Boolean> bool(String name) {
        return get(name).map(text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(name);
        });
    }

    /**
     * A list: {@code Name.1}, {@code Name.2} and so on in order of their numbers, or, as clients of 2016 send it,
     * {@code Name} with a JSON array of strings. Throws ApiException InvalidParameter if there are more than {@code
     * most}, an index is no number from 1, or what looks like a JSON array is none.
     */
    public List<String> list(String name, int most) {
        Optional<String> whole = get(name).filter(text -> text.startsWith("["));
        List<String> items = whole.isPresent()
                ? strings(whole.get()).orElseThrow(() -> invalid(name))
                : new ArrayList<>(indexed(name, "", most).values());
        if (items.size() > most) {
            throw invalid(name);
        }
        return items;
    }

    /** The elements of a JSON array of strings, or empty if the text is no such array. */
    public static Optional<List<String>> strings(String json) {
        try {
            JsonNode array = JSON.readTree(json);
            List<String> items = new ArrayList<>();
            for (JsonNode item : array) {
                if (!item.isTextual()) {
                    return Optional.empty();
                }
                items.add(item.textValue());
            }
            return array.isArray() ? Optional.of(items) : Optional.empty();
        } catch (JsonProcessingException malformed) {
            return Optional.empty();
        }
    }

    /** The parts {@code Name.N<suffix>} by N, in order of N; see {@link #list} for errors. */
    public Map<Integer, String> indexed(String name, String suffix, int most) {
        TreeMap<Integer, String> found = new TreeMap<>();
        String prefix = name + ".";
        values.tailMap(prefix).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .filter(entry ->
                        entry.getKey().endsWith(suffix) && !entry.getValue().isEmpty())
                .forEach(entry -> {
                    String key = entry.getKey();
                    String digits =
                            key.substring(prefix.length(), Math.max(prefix.length(), key.length() - suffix.length()));
                    if (!digits.matches("[1-9][0-9]{0,3}")) {
                        throw invalid(name + ".N");
                    }
                    found.put(Integer.parseInt(digits), entry.getValue());
                });
        if (found.size() > most) {
            throw invalid(name + ".N");
        }
        return found;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Params params && values.equals(params.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    public static ApiException invalid(String name) {
        return ApiError.INVALID_PARAMETER.with(name);
    }

    /**
     * Lower-case hex, equal for calls with equal parameters but for those named, however often they are sent and
     * signed.
     */
    String fingerprint(Set<String> except) {
        // lengths keep "a"+"bc" and "ab"+"c" apart
        String text = values.entrySet().stream()
                .filter(value -> !ENVELOPE.contains(value.getKey()) && !except.contains(value.getKey()))
                .flatMap(value -> Stream.of(value.getKey(), value.getValue()))
                .map(part -> part.length() + ":" + part)
                .collect(Collectors.joining());
        return Digests.sha256(text.getBytes(StandardCharsets.UTF_8));
    }
}
