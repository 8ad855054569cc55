package io.enipam.shell.core;

import java.util.Comparator;

/** Text as people sort it: what is a number in it by its value, so that 10.0.0.9 comes before 10.0.0.10. */
public final class NaturalOrder {
    public static final Comparator<String> ORDER = NaturalOrder::compare;

    private NaturalOrder() {}

    private static int compare(String a, String b) {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length()) {
            int endA = digits(a, i);
            int endB = digits(b, j);
            int difference;
            if (endA > i && endB > j) {
                difference = numbers(a.substring(i, endA), b.substring(j, endB));
                i = endA;
                j = endB;
            } else {
                difference = Character.compare(a.charAt(i), b.charAt(j));
                i++;
                j++;
            }
            if (difference != 0) {
                return difference;
            }
        }
        int left = Integer.compare(a.length() - i, b.length() - j);
        return left != 0 ? left : a.compareTo(b);
    }

    private static int digits(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    /** By length without zeros before, then by digit: no number is too long. */
    private static int numbers(String a, String b) {
        String x = a.replaceFirst("^0+(?=.)", "");
        String y = b.replaceFirst("^0+(?=.)", "");
        return x.length() != y.length() ? Integer.compare(x.length(), y.length()) : x.compareTo(y);
    }
}
