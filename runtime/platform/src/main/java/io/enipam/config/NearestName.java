package io.enipam.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggests the known name that a misspelt name probably means. */
public final class NearestName {
    private NearestName() {}

    /** The other known name with the smallest edit distance, if that is at most a third of the word's length. */
    public static Optional<String> of(String word, Collection<String> known) {
        int tolerance = Math.max(2, word.length() / 3);
        return word.length() > 128
                ? Optional.empty()
                : known.stream()
                        .filter(name -> !name.equals(word) && distance(word, name) <= tolerance)
                        .min(Comparator.<String>comparingInt(name -> distance(word, name))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /** The question whether that name was meant, as the end of a message; other text if no name is near. */
    public static String hint(String word, Collection<String> known, String otherwise) {
        return of(word, known).map(near -> "; did you mean " + near + "?").orElse(otherwise);
    }

    private static int distance(String a, String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], above[j]) + 1, above[j - 1] + change);
            }
            above = row;
        }
        return above[b.length()];
    }
}
