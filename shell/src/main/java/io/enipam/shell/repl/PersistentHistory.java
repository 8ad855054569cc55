package io.enipam.shell.repl;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session.HistoryEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.History;
import org.jline.reader.impl.history.DefaultHistory;

/**
 * JLine's history kept in a {@link HistoryFile}, since a damaged line keeps JLine's own file from being read. Secrets
 * are never in it.
 */
final class PersistentHistory extends DefaultHistory {
    private final Optional<HistoryFile> file;
    private boolean loading;

    PersistentHistory(Optional<HistoryFile> file) {
        this.file = file;
    }

    /** Called once when the reader takes this history. */
    @Override
    public void load() {
        loading = true;
        try {
            file.map(HistoryFile::read)
                    .orElse(List.of())
                    // a file may have been written by anything; what recalls it writes it to the terminal
                    .forEach(past -> internalAdd(past.time(), cleaned(past.line())));
        } finally {
            loading = false;
        }
    }

    private static String cleaned(String line) {
        return String.join("\n", line.lines().map(Palette::clean).toList());
    }

    /** Remembers a line, unless it begins with a blank, which says that it shall not be remembered. */
    @Override
    public void add(Instant time, String line) {
        if (!line.isEmpty() && !Character.isWhitespace(line.charAt(0))) {
            super.add(time, HistoryRedactor.redact(line));
        }
    }

    @Override
    protected void internalAdd(Instant time, String line, boolean checkDuplicates) {
        super.internalAdd(time, line, checkDuplicates);
        if (!loading) {
            file.ifPresent(kept -> kept.append(time, line));
        }
    }

    /** All of it, oldest first. */
    List<HistoryEntry> all() {
        List<HistoryEntry> all = new ArrayList<>();
        for (History.Entry entry : this) {
            all.add(new HistoryEntry(entry.index() + 1, entry.time(), entry.line()));
        }
        return all;
    }

    /**
     * Replaces values of options and keys with secret names, keys of the cloud and tokens by stars, and rather too
     * much: a line with stars is still worth recalling.
     */
    static final class HistoryRedactor {
        static final String HIDDEN = "***";

        private static final String NAME =
                "[\\w.-]*(?:secret|token|passw(?:or)?d|passphrase|pwd|credential|authorization|"
                        + "(?:api|access|private|signing|encryption)[-_.]?key)[\\w.-]*";
        private static final String VALUE = "(?:\"(?:[^\"\\\\]|\\\\.)*\"?|'[^']*'?|[^\\s;|'\"]+)";

        /** --password VALUE */
        private static final Pattern OPTION = Pattern.compile("(?i)(--?" + NAME + "\\s+)(?!-)" + VALUE);

        /** password=VALUE, "password": "VALUE" */
        private static final Pattern KEY =
                Pattern.compile("(?i)(" + NAME + "[\"']?\\s*[=:]\\s*(?:bearer\\s+|basic\\s+)?)" + VALUE);

        /**
         * Secrets recognizable by their form: access keys and temporary tokens of the cloud, JSON web tokens, bearer
         * tokens, private keys.
         */
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
}
