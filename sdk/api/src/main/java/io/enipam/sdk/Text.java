package io.enipam.sdk;

import java.util.regex.Pattern;

/** The one check all identifiers share: a bounded, printable pattern, so that none of them can break a log or a path. */
final class Text {
    private Text() {}

    static String require(String what, String value, Pattern pattern) {
        if (!pattern.matcher(value).matches()) {
            throw new IllegalArgumentException(what + " '" + abbreviate(value) + "' does not match " + pattern);
        }
        return value;
    }

    private static String abbreviate(String value) {
        String printable = value.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= 64 ? printable : printable.substring(0, 61) + "...";
    }
}
