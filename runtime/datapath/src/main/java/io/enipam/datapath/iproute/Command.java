package io.enipam.datapath.iproute;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * One command of a batch.
 *
 * @param text what the program reads: one line of plain words; nothing in it needs quotes
 * @param fine what the kernel may answer beside success, as the program words it: any text that contains one of these
 */
record Command(Tool tool, String text, Set<String> fine) {
    /** No quote, no comment, no escape, no line end: the programs split words at blanks and give these a meaning. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_.,:/@+=~ -]+");

    Command {
        if (!PLAIN.matcher(text).matches()) {
            throw new IllegalArgumentException("not a plain command: " + text);
        }
        fine = Set.copyOf(fine);
    }

    boolean accepts(String answer) {
        return fine.stream().anyMatch(answer::contains);
    }
}
