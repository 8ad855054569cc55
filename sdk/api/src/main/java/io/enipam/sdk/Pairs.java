package io.enipam.sdk;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Names and values in one text: {@code cidr=10.0.0.0/24;gateway=10.0.0.1}. A backslash before {@code =}, {@code ;} or another
 * backslash makes it part of the name or value, so that every map has one text and is read back from it.
 */
final class Pairs {
    private Pairs() {}

    static String write(Map<String, String> pairs) {
        return pairs.entrySet().stream()
                .map(pair -> escaped(pair.getKey()) + "=" + escaped(pair.getValue()))
                .collect(Collectors.joining(";"));
    }

    private static String escaped(String text) {
        return text.replaceAll("[\\\\=;]", "\\\\$0");
    }

    /** @throws IllegalArgumentException if a pair has no {@code =}, two names are the same, or a backslash stands alone */
    static Map<String, String> read(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        StringBuilder part = new StringBuilder();
        String name = null;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : ';';
            if (c == '\\') {
                i++;
                if (i >= text.length() || "\\=;".indexOf(text.charAt(i)) < 0) {
                    throw new IllegalArgumentException("a backslash stands before \\, = or ;");
                }
                part.append(text.charAt(i));
            } else if (c == '=' && name == null) {
                name = part.toString();
                part.setLength(0);
            } else if (c == ';') {
                if (name == null || pairs.putIfAbsent(name, part.toString()) != null) {
                    throw new IllegalArgumentException(name == null ? "a pair without =" : "one name twice");
                }
                name = null;
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        return pairs;
    }
}
