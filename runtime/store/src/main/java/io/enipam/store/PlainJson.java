package io.enipam.store;

/**
 * Recognizes text that is a JSON object in the very form in which Jackson writes one, in one pass that makes no objects. Where that cannot
 * be told so simply it says no: of escapes, fractions, numbers of more than 18 digits, deep nesting and objects of many fields. For one
 * thread.
 */
final class PlainJson {
    private static final int DEEPEST = 32;
    private static final int MOST_FIELDS = 32;
    private static final int MOST_DIGITS = 18;
    private static final int NO = -1;

    private final String text;

    private PlainJson(String text) {
        this.text = text;
    }

    static boolean isObject(String text) {
        return text.startsWith("{") && new PlainJson(text).object(0, 0) == text.length();
    }

    // each method has the position where something begins, and returns where that ends, or NO

    private int value(int at, int depth) {
        if (at >= text.length() || depth > DEEPEST) {
            return NO;
        }
        return switch (text.charAt(at)) {
            case '{' -> object(at, depth);
            case '[' -> array(at, depth);
            case '"' -> string(at);
            case 't' -> word("true", at);
            case 'f' -> word("false", at);
            case 'n' -> word("null", at);
            default -> number(at);
        };
    }

    private int object(int begin, int depth) {
        if (is('}', begin + 1)) {
            return begin + 2;
        }
        int[] fields = new int[2 * MOST_FIELDS]; // where the name of each begins and ends
        int at = begin;
        for (int count = 0; count < MOST_FIELDS; count++) {
            int name = at + 1;
            int end = is('"', name) ? string(name) : NO;
            if (end == NO || !is(':', end) || isOneOf(fields, count, name, end)) {
                return NO;
            }
            fields[2 * count] = name;
            fields[2 * count + 1] = end;
            at = value(end + 1, depth + 1);
            if (at == NO || is('}', at)) {
                return at == NO ? NO : at + 1;
            }
            if (!is(',', at)) {
                return NO;
            }
        }
        return NO;
    }

    private boolean isOneOf(int[] fields, int count, int name, int end) {
        for (int i = 0; i < count; i++) {
            boolean same = fields[2 * i + 1] - fields[2 * i] == end - name
                    && text.regionMatches(fields[2 * i], text, name, end - name);
            if (same) {
                return true;
            }
        }
        return false;
    }

    private int array(int begin, int depth) {
        if (is(']', begin + 1)) {
            return begin + 2;
        }
        int at = begin;
        while (true) {
            at = value(at + 1, depth + 1);
            if (at == NO || is(']', at)) {
                return at == NO ? NO : at + 1;
            }
            if (!is(',', at)) {
                return NO;
            }
        }
    }

    private int string(int begin) {
        for (int at = begin + 1; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character == '"') {
                return at + 1;
            }
            if (character == '\\' || character < ' ') {
                return NO;
            }
        }
        return NO;
    }

    private int word(String word, int at) {
        return text.startsWith(word, at) ? at + word.length() : NO;
    }

    private int number(int begin) {
        int first = is('-', begin) ? begin + 1 : begin;
        int at = first;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        int digits = at - first;
        boolean zero = digits > 0 && text.charAt(first) == '0';
        boolean plain = digits > 0 && digits <= MOST_DIGITS && !(zero && (digits > 1 || first > begin));
        return plain ? at : NO;
    }

    private boolean is(char character, int at) {
        return at < text.length() && text.charAt(at) == character;
    }
}
