package io.enipam.shell.repl;

import io.enipam.shell.core.HistoryEntry;
import io.enipam.shell.core.Palette;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.reader.History;
import org.jline.reader.impl.history.DefaultHistory;

/**
 * JLine's history, for searching with Ctrl-R and the arrows, kept in a {@link HistoryFile} instead of JLine's own, which
 * a damaged line keeps from being read at all. Secrets are gone before a line is in it.
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

    /** Remembers a line, unless it begins with a blank, which is how somebody says that it is not to be. */
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
}
