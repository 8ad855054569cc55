package io.enipam.shell.runbook;

import java.util.Locale;

/** The beginning and the end of a long text, with a line between them that says how much is left out. */
final class Excerpt {
    private static final int END_SHARE = 4;

    private Excerpt() {}

    /**
     * @param most characters that are kept; a text that is not longer is kept as it is
     */
    static String of(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int tail = most / END_SHARE;
        int begin = whole(text, most - tail);
        int end = whole(text, text.length() - tail);
        String left = String.format(Locale.ROOT, "[%,d of %,d characters left out]", end - begin, text.length());
        return (begin == 0 ? "" : text.substring(0, begin) + "\n") + left + "\n" + text.substring(end);
    }

    /** The same place, or the one before it, if a character would be cut in two. */
    private static int whole(String text, int at) {
        boolean cut = at > 0 && at < text.length() && Character.isLowSurrogate(text.charAt(at));
        return cut ? at - 1 : at;
    }
}
