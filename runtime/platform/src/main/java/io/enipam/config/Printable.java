package io.enipam.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;

/** What a file says, fit to be quoted in an error: short, and without control characters or half surrogates. */
final class Printable {
    private static final int LONGEST = 64;

    private Printable() {}

    static String abbreviated(String text) {
        String printable =
                new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= LONGEST ? printable : printable.substring(0, LONGEST - 3) + "...";
    }

    static String abbreviated(JsonNode node) {
        return abbreviated(node.isTextual() ? node.textValue() : node.toString());
    }
}
