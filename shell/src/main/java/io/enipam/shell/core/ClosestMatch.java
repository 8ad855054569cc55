package io.enipam.shell.core;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What a mistyped name may have meant: the name with the fewest changed, missing, surplus or swapped letters. */
public final class ClosestMatch {
    private ClosestMatch() {}

    /** The nearest other name, if one is near: at most one letter in three wrong, or the word is the name's beginning. */
    public static Optional<String> to(String word, Collection<String> names) {
        String typed = word.toLowerCase(Locale.ROOT);
        return names.stream()
                .filter(name -> !name.equals(word))
                .filter(name -> (typed.length() > 1 && name.startsWith(typed))
                        || distance(typed, name) <= Math.max(1, Math.max(typed.length(), name.length()) / 3))
                .min(Comparator.comparingInt((String name) -> distance(typed, name))
                        // a letter left out is likelier than a wrong one
                        .thenComparing(name -> !hasAllLettersInOrder(name, typed))
                        .thenComparing(name -> name));
    }

    /** "Did you mean 'X'?", or something else where no name is near. */
    public static String hint(String word, Collection<String> names, String otherwise) {
        return to(word, names).map(name -> "Did you mean '" + name + "'?").orElse(otherwise);
    }

    /** "Did you mean 'X'? " before further text; empty where no name is near. */
    public static String prefix(String word, Collection<String> names) {
        return to(word, names).map(name -> "Did you mean '" + name + "'? ").orElse("");
    }

    private static boolean hasAllLettersInOrder(String name, String typed) {
        int at = 0;
        for (int i = 0; i < name.length() && at < typed.length(); i++) {
            if (name.charAt(i) == typed.charAt(at)) {
                at++;
            }
        }
        return at == typed.length();
    }

    /** Optimal string alignment: Levenshtein's distance, with two neighbours swapped counting as one. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 || j == 0 ? i + j : step(d, a, b, i, j);
            }
        }
        return d[a.length()][b.length()];
    }

    private static int step(int[][] d, String a, String b, int i, int j) {
        int changed = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(changed, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
    }
}
