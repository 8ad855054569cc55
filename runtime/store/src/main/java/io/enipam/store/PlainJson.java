package io.enipam.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Recognizes text that is a JSON object in the very form in which Jackson writes one, in one pass that makes no objects. Where that cannot
 * be told so simply it says no: of escapes, fractions, numbers of more than 18 digits, deep nesting and objects of many fields. For one
 * thread.
 *
 * <p>It looks at bytes, as they cost a third of characters. One beyond Latin-1 is a question mark there, which is as plain within a string
 * and as wrong outside of one.
 */
final class PlainJson {
    private static final int DEEPEST = 32;
    private static final int MOST_FIELDS = 32;
    private static final int MOST_DIGITS = 18;
    private static final int NO = -1;

    private final byte[] text;

    /** Where the names begin and end of the objects that are under way, those of the innermost last. */
    private int[] names = new int[2 * MOST_FIELDS];

    private PlainJson(byte[] text) {
        this.text = text;
    }

    static boolean isObject(String text) {
        if (!text.startsWith("{")) {
            return false;
        }
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return new PlainJson(bytes).object(0, 0, 0) == bytes.length;
    }

    // each method has the position where something begins, and returns where that ends, or NO

    /** @param known the places of {@link #names} that are in use */
    private int value(int at, int depth, int known) {
        if (at >= text.length || depth > DEEPEST) {
            return NO;
        }
        return switch (text[at]) {
            case '{' -> object(at, depth, known);
            case '[' -> array(at, depth, known);
            case '"' -> string(at);
            case 't' -> word("true", at);
            case 'f' -> word("false", at);
            case 'n' -> word("null", at);
            default -> number(at);
        };
    }

    private int object(int begin, int depth, int known) {
        if (is('}', begin + 1)) {
            return begin + 2;
        }
        int at = begin;
        for (int next = known; next < known + 2 * MOST_FIELDS; next += 2) {
            int name = at + 1;
            int end = is('"', name) ? string(name) : NO;
            if (end == NO || !is(':', end) || isOneOf(known, next, name, end)) {
                return NO;
            }
            if (next == names.length) {
                names = Arrays.copyOf(names, 2 * next);
            }
            names[next] = name;
            names[next + 1] = end;
            at = value(end + 1, depth + 1, next + 2);
            if (at == NO || is('}', at)) {
                return at == NO ? NO : at + 1;
            }
            if (!is(',', at)) {
                return NO;
            }
        }
        return NO;
    }

    private boolean isOneOf(int from, int to, int name, int end) {
        for (int i = from; i < to; i += 2) {
            if (names[i + 1] - names[i] == end - name && isSame(names[i], name, end)) {
                return true;
            }
        }
        return false;
    }

    private boolean isSame(int other, int name, int end) {
        for (int i = name; i < end; i++) {
            if (text[i] != text[other + i - name]) {
                return false;
            }
        }
        return true;
    }

    private int array(int begin, int depth, int known) {
        if (is(']', begin + 1)) {
            return begin + 2;
        }
        int at = begin;
        while (true) {
            at = value(at + 1, depth + 1, known);
            if (at == NO || is(']', at)) {
                return at == NO ? NO : at + 1;
            }
            if (!is(',', at)) {
                return NO;
            }
        }
    }

    private int string(int begin) {
        for (int at = begin + 1; at < text.length; at++) {
            byte character = text[at];
            if (character == '"') {
                return at + 1;
            }
            if (character == '\\' || (character >= 0 && character < ' ')) {
                return NO;
            }
        }
        return NO;
    }

    private int word(String word, int at) {
        for (int i = 0; i < word.length(); i++) {
            if (!is(word.charAt(i), at + i)) {
                return NO;
            }
        }
        return at + word.length();
    }

    private int number(int begin) {
        int first = is('-', begin) ? begin + 1 : begin;
        int at = first;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
        int digits = at - first;
        boolean zero = digits > 0 && text[first] == '0';
        boolean plain = digits > 0 && digits <= MOST_DIGITS && !(zero && (digits > 1 || first > begin));
        return plain ? at : NO;
    }

    private boolean is(char character, int at) {
        return at < text.length && text[at] == character;
    }
}
