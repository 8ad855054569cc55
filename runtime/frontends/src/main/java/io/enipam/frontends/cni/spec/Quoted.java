package io.enipam.frontends.cni.spec;

/** A value of somebody else's, as a message tells it: short, on one line, in quotes. */
final class Quoted {
    private static final int LONGEST = 64;

    private Quoted() {}

    /** Several words of ours: on one line, cut where they are too long. */
    static String line(String text, int longest) {
        String line = text.replaceAll("\\R", " ");
        return line.length() <= longest ? line : line.substring(0, longest) + "…";
    }

    static String of(String value) {
        String clean = value.codePoints()
                .limit(LONGEST)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return "\"" + clean + (value.length() > clean.length() ? "…" : "") + "\"";
    }
}
