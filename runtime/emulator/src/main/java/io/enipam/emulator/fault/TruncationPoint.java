package io.enipam.emulator.fault;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Where an answer is cut. */
public enum TruncationPoint {
    /** Before the first byte of the body. */
    START,
    /** Inside a string. */
    STRING,
    /** Anywhere outside a string. */
    ELSEWHERE;

    /**
     * How many characters of the text remain.
     *
     * @param text JSON; of any other text the half remains
     * @param draw chooses among the places there are
     */
    public int in(String text, long draw) {
        if (this == START) {
            return 0;
        }
        if (!text.startsWith("{")) {
            return text.length() / 2;
        }
        boolean[] inside = insides(text);
        IntPredicate fits = this == STRING ? i -> inside[i] : i -> !inside[i];
        int[] places = IntStream.range(1, text.length())
                .filter(fits)
                // half of a surrogate pair is no text that a server could have sent
                .filter(i -> !Character.isLowSurrogate(text.charAt(i)))
                .toArray();
        return places.length == 0 ? text.length() / 2 : places[(int) Math.floorMod(draw, (long) places.length)];
    }

    /** For each place, whether a cut before its character is inside a string. */
    private static boolean[] insides(String text) {
        boolean[] inside = new boolean[text.length()];
        boolean string = false;
        boolean escaped = false;
        for (int i = 0; i < text.length(); i++) {
            inside[i] = string;
            char c = text.charAt(i);
            if (escaped) {
                escaped = false;
            } else if (c == '\\') {
                escaped = string;
            } else if (c == '"') {
                string = !string;
            }
        }
        return inside;
    }
}
