package io.enipam.shell.repl;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides what nobody should find in a history: the values of options and keys whose names say that they are secret, and
 * what looks like a key of the cloud or a token wherever it stands. It rather hides too much: a line with stars in it is
 * still worth recalling.
 */
final class HistoryRedactor {
    static final String HIDDEN = "***";

    private static final String NAME = "[\\w.-]*(?:secret|token|passw(?:or)?d|passphrase|pwd|credential|authorization|"
            + "(?:api|access|private|signing|encryption)[-_.]?key)[\\w.-]*";
    private static final String VALUE = "(?:\"(?:[^\"\\\\]|\\\\.)*\"?|'[^']*'?|[^\\s;|'\"]+)";

    /** --password VALUE */
    private static final Pattern OPTION = Pattern.compile("(?i)(--?" + NAME + "\\s+)(?!-)" + VALUE);

    /** password=VALUE, "password": "VALUE" */
    private static final Pattern KEY =
            Pattern.compile("(?i)(" + NAME + "[\"']?\\s*[=:]\\s*(?:bearer\\s+|basic\\s+)?)" + VALUE);

    /** What tells by itself: access keys of the cloud, its temporary tokens, JSON web tokens, bearers, private keys. */
    private static final Pattern SHAPE = Pattern.compile("\\bLTAI[A-Za-z0-9]{10,}|\\bSTS\\.[A-Za-z0-9]{10,}"
            + "|\\beyJ[\\w-]{8,}\\.[\\w-]+(?:\\.[\\w-]*)?|(?<=(?i:bearer) )\\S+"
            + "|-----BEGIN[A-Z ]*PRIVATE KEY-----[\\s\\S]*");

    private HistoryRedactor() {}

    /** The line with stars in place of what is secret. */
    static String redact(String line) {
        String text = line;
        for (Pattern pattern : new Pattern[] {OPTION, KEY}) {
            text = pattern.matcher(text).replaceAll("$1" + Matcher.quoteReplacement(HIDDEN));
        }
        return SHAPE.matcher(text).replaceAll(Matcher.quoteReplacement(HIDDEN));
    }
}
