package io.enipam.sdk.ledger;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The part of JSON (RFC 8259) that the host's rows use: objects, lists, text and whole numbers. */
final class Json {
    private static final int DEEPEST = 16;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder(512);
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            char before = '{';
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                quoted(String.valueOf(entry.getKey()), out.append(before));
                write(entry.getValue(), out.append(':'));
                before = ',';
            }
            out.append(before == '{' ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            char before = '[';
            for (Object each : list) {
                write(each, out.append(before));
                before = ',';
            }
            out.append(before == '[' ? "[]" : "]");
        } else if (value instanceof Long number) {
            out.append(number.longValue());
        } else {
            quoted(String.valueOf(value), out);
        }
    }

    private static void quoted(String value, StringBuilder out) {
        out.append('"');
        int written = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\' || c < ' ') {
                out.append(value, written, i);
                out.append(c < ' ' ? "\\u%04x".formatted((int) c) : "\\" + c);
                written = i + 1;
            }
        }
        out.append(value, written, value.length()).append('"');
    }

    /** @throws IllegalArgumentException if the text is not of this part of JSON */
    static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        if (reader.at != text.length()) {
            throw reader.unexpected();
        }
        return value;
    }

    private Object value(int depth) {
        if (depth > DEEPEST) {
            throw unexpected();
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> list(depth);
            case '"' -> string();
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        while (peek() != '}') {
            String key = string();
            take(':');
            map.put(key, value(depth + 1));
            separator('}');
        }
        at++;
        return map;
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        while (peek() != ']') {
            list.add(value(depth + 1));
            separator(']');
        }
        at++;
        return list;
    }

    /** A comma with something behind it, or the end that is to come. */
    private void separator(char end) {
        if (peek() != end) {
            take(',');
            if (peek() == end) {
                throw unexpected();
            }
        }
    }

    private String string() {
        take('"');
        StringBuilder out = new StringBuilder();
        while (peek() != '"') {
            char c = next();
            if (c != '\\') {
                out.append(c);
                continue;
            }
            char escaped = next();
            out.append(
                    switch (escaped) {
                        case '"', '\\', '/' -> escaped;
                        case 'b' -> '\b';
                        case 'f' -> '\f';
                        case 'n' -> '\n';
                        case 'r' -> '\r';
                        case 't' -> '\t';
                        case 'u' -> {
                            if (at + 4 > text.length()) {
                                throw unexpected();
                            }
                            at += 4;
                            yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
                        }
                        default -> throw unexpected();
                    });
        }
        at++;
        return out.toString();
    }

    private Long number() {
        int from = at;
        while (at < text.length() && (text.charAt(at) == '-' || Character.isDigit(text.charAt(at)))) {
            at++;
        }
        return Long.valueOf(text.substring(from, at));
    }

    private char peek() {
        if (at >= text.length()) {
            throw unexpected();
        }
        return text.charAt(at);
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private void take(char expected) {
        if (next() != expected) {
            at--;
            throw unexpected();
        }
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("not as it was written, at character " + at);
    }

    @SuppressWarnings("unchecked") // the reader makes keys of text alone
    static Map<String, Object> object(Object value) {
        if (value instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new IllegalArgumentException("an object is expected");
    }

    static String text(Map<String, Object> object, String key) {
        return optional(object, key).orElseThrow(() -> new IllegalArgumentException(key + " is missing"));
    }

    static Optional<String> optional(Map<String, Object> object, String key) {
        return object.get(key) instanceof String text ? Optional.of(text) : Optional.empty();
    }

    static long number(Map<String, Object> object, String key) {
        if (object.get(key) instanceof Long number) {
            return number;
        }
        throw new IllegalArgumentException(key + " is no number");
    }

    static List<?> list(Map<String, Object> object, String key) {
        return object.get(key) instanceof List<?> list ? list : List.of();
    }

    static List<String> texts(Map<String, Object> object, String key) {
        return list(object, key).stream().map(String::valueOf).toList();
    }

    /** The texts of an object within the object; none if it is not there. */
    static Map<String, String> map(Map<String, Object> object, String key) {
        return object(object.getOrDefault(key, Map.of())).entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> String.valueOf(entry.getValue())));
    }
}
