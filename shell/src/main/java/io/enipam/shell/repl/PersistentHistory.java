package io.enipam.shell.repl;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session.HistoryEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jline.reader.History;
import org.jline.reader.impl.history.DefaultHistory;
import org.jspecify.annotations.Nullable;

/** JLine's history in a {@link HistoryFile}, since a damaged line keeps JLine's own from being read; without secrets. */
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

    List<HistoryEntry> all() {
        List<HistoryEntry> all = new ArrayList<>();
        for (History.Entry entry : this) {
            all.add(new HistoryEntry(entry.index() + 1, entry.time(), entry.line()));
        }
        return all;
    }

    /** Replaces secrets by stars, and rather too much: a line with stars is still worth recalling. */
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

        /** Known by form: access keys and temporary tokens of the cloud, JSON web and bearer tokens, private keys. */
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

    /**
     * The file that keeps what was typed, for its owner alone: a line of it is {@code MILLISECONDS:COMMAND}, with
     * {@code \n} for an end of line in the command. Several shells may use it at once: each appends whole lines, and
     * one that finds the file too long leaves the youngest entries in a new file of the same name, which the others
     * notice, since all of that happens under a lock. What is damaged is skipped, and no trouble with it is an error:
     * at worst the history is short.
     */
    static final class HistoryFile {
        /** How many entries a file keeps when it has become too long. */
        static final int KEPT = 5_000;

        /** How many bytes are too long. */
        static final long TOO_LONG = 1 << 20;

        private static final int LONGEST_LINE = 8_192;
        private static final int TRIES = 20;
        private static final Pattern LINE = Pattern.compile("([0-9]{1,15}):(.+)");
        private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");
        private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

        /** One shell at a time within this process: locks of files are between processes only. */
        private static final Object TURN = new Object();

        private final Path file;

        private HistoryFile(Path file) {
            this.file = file;
        }

        /** The file, there and with mode 0600; empty if that cannot be had, and then the history is kept in memory. */
        static Optional<HistoryFile> open(Path file) {
            try {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            } catch (FileAlreadyExistsException there) {
                return restricted(file);
            } catch (IOException readOnlyHome) {
                return Optional.empty();
            }
            return Optional.of(new HistoryFile(file));
        }

        private static Optional<HistoryFile> restricted(Path file) {
            try {
                if (!Files.isRegularFile(file)) {
                    return Optional.empty();
                }
                Files.setPosixFilePermissions(file, OWNER_ONLY);
                return Files.isWritable(file) ? Optional.of(new HistoryFile(file)) : Optional.empty();
            } catch (IOException notOurs) {
                return Optional.empty();
            }
        }

        List<HistoryEntry> read() {
            synchronized (TURN) {
                try {
                    if (Files.size(file) > TOO_LONG) {
                        locked(channel -> shorten());
                    }
                    return entries();
                } catch (IOException unreadable) {
                    return List.of();
                }
            }
        }

        void append(Instant time, String command) {
            byte[] bytes = line(time, command).getBytes(StandardCharsets.UTF_8);
            if (bytes.length > LONGEST_LINE) {
                return;
            }
            synchronized (TURN) {
                try {
                    locked(channel -> channel.write(ByteBuffer.wrap(bytes)));
                } catch (IOException full) {
                    return; // it is remembered as long as this shell runs
                }
            }
        }

        private static String line(Instant time, String command) {
            String escaped = command.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "");
            return time.toEpochMilli() + ":" + escaped + "\n";
        }

        private interface Use {
            void of(FileChannel channel) throws IOException;
        }

        /** Uses the file that has the name under its lock; without the lock if another holds it for long. */
        private void locked(Use use) throws IOException {
            for (int i = 0; i < TRIES; i++) {
                String key = key();
                try (FileChannel channel = FileChannel.open(
                        file,
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
                        PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
                    try (@Nullable FileLock lock = channel.tryLock()) {
                        boolean last = i == TRIES - 1;
                        if (last || (lock != null && key.equals(key()))) {
                            use.of(channel);
                            return;
                        }
                    }
                }
                pause();
            }
        }

        /** Distinguishes one file of this name from the next one. */
        private String key() throws IOException {
            return Files.exists(file) ? String.valueOf(Files.getAttribute(file, "unix:ino")) : "";
        }

        private static void pause() throws IOException {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        private void shorten() throws IOException {
            List<HistoryEntry> all = entries();
            StringBuilder text = new StringBuilder();
            for (HistoryEntry past : all.subList(Math.max(0, all.size() - KEPT), all.size())) {
                text.append(line(past.time(), past.line()));
            }
            Path shorter = Files.createTempFile(
                    file.toAbsolutePath().getParent(),
                    ".enipam_history",
                    "",
                    PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            try {
                Files.writeString(shorter, text);
                Files.move(shorter, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(shorter);
            }
        }

        private List<HistoryEntry> entries() throws IOException {
            List<HistoryEntry> entries = new ArrayList<>();
            // bytes that are no UTF-8 become replacement characters here, where a reader would fail
            for (String line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n")) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches() && line.length() <= LONGEST_LINE && line.indexOf(0) < 0) {
                    Instant time = Instant.ofEpochMilli(Long.parseLong(matcher.group(1)));
                    entries.add(new HistoryEntry(entries.size() + 1, time, unescaped(matcher.group(2))));
                }
            }
            return entries;
        }

        private static String unescaped(String text) {
            return ESCAPE.matcher(text)
                    .replaceAll(found -> Matcher.quoteReplacement(found.group(1).equals("n") ? "\n" : found.group(1)));
        }
    }
}
