package io.enipam.shell;

/**
 * Which of the three standard streams are a terminal. The launcher finds that out, since Java says it only of two at
 * once, and differently in each version.
 */
public record Terminals(boolean in, boolean out, boolean err) {
    /** The system property with the digits of those that are: "02" if stdin and stderr are terminals. */
    public static final String PROPERTY = "enipam.tty";

    /** What the launcher found; none if it was not asked. */
    public static Terminals fromSystem() {
        String digits = System.getProperty(PROPERTY, "");
        return new Terminals(digits.contains("0"), digits.contains("1"), digits.contains("2"));
    }

    public static Terminals none() {
        return new Terminals(false, false, false);
    }

    /** Whether somebody can type and see. */
    public boolean interactive() {
        return in && out;
    }
}
