package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.testing.TestThreads;
import io.enipam.shell.core.Session.HistoryEntry;
import io.enipam.shell.repl.PersistentHistory.HistoryFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
    private static final Instant TIME = Instant.parse("2026-11-21T15:00:00.123Z");

    @TempDir
    Path directory;

    private HistoryFile open() {
        return HistoryFile.open(directory.resolve("history")).orElseThrow();
    }

    private List<String> kept() {
        return open().read().stream().map(HistoryEntry::line).toList();
    }

    @Test
    void keepsCommandsWithTheirTimesAlsoThoseOfSeveralLines() {
        open().append(TIME, "pool show");
        open().append(TIME.plusSeconds(1), "pool inuse |\n grep 'a\\nb'");

        assertThat(open().read())
                .containsExactly(
                        new HistoryEntry(1, TIME, "pool show"),
                        new HistoryEntry(2, TIME.plusSeconds(1), "pool inuse |\n grep 'a\\nb'"));
    }

    @Test
    void isForItsOwnerAloneAlsoIfItWasNotBefore() throws IOException {
        Path file = Files.writeString(directory.resolve("history"), "");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        open();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void damageCostsTheDamagedLinesAlone() throws IOException {
        open().append(TIME, "pool show");
        Path file = directory.resolve("history");
        Files.write(file, new byte[] {'1', ':', (byte) 0xff, 0, (byte) 0xfe, '\n'}, StandardOpenOption.APPEND);
        Files.writeString(file, "no time\n99999999999999999999:x\n:\n\n", StandardOpenOption.APPEND);
        Files.writeString(file, "17000000", StandardOpenOption.APPEND);

        assertThat(kept()).containsExactly("pool show");
        // the line that was begun swallows no more than itself
        open().append(TIME, "eni list");
        open().append(TIME, "pod list");
        assertThat(kept()).startsWith("pool show").endsWith("pod list");
    }

    @Test
    void shellsSideBySideLoseNothing() {
        List<CompletableFuture<Void>> shells = IntStream.range(0, 8)
                .mapToObj(shell -> CompletableFuture.runAsync(
                        () -> {
                            HistoryFile file = open();
                            for (int i = 0; i < 50; i++) {
                                file.append(TIME, "shell " + shell + " command " + i);
                            }
                        },
                        TestThreads.PER_TASK))
                .toList();
        shells.forEach(CompletableFuture::join);

        assertThat(kept()).hasSize(400).doesNotHaveDuplicates();
    }

    @Test
    void aFileThatIsTooLongKeepsTheYoungest() throws IOException {
        StringBuilder text = new StringBuilder();
        String filler = "x".repeat(100);
        int count = (int) (HistoryFile.TOO_LONG / 100) + 1;
        for (int i = 0; i < count; i++) {
            text.append("1700000000000:").append(i).append(' ').append(filler).append('\n');
        }
        Files.writeString(directory.resolve("history"), text);

        List<String> kept = kept();

        assertThat(kept).hasSize(HistoryFile.KEPT);
        assertThat(kept.get(kept.size() - 1)).startsWith((count - 1) + " ");
        assertThat(Files.size(directory.resolve("history"))).isLessThan(HistoryFile.TOO_LONG);
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("history"));
        }
    }

    @Test
    void whatIsNoFileIsLeftAlone() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("folder"));

        assertThat(HistoryFile.open(folder)).isEmpty();
        assertThat(HistoryFile.open(Path.of("/dev/null"))).isEmpty();
        assertThat(HistoryFile.open(directory.resolve("nowhere/history"))).isEmpty();
    }

    @Test
    void aFileWrittenByAnythingDoesNotDriveTheTerminal() throws IOException {
        Files.writeString(directory.resolve("history"), "1700000000000:pod show \u001b[2Jx\n", StandardCharsets.UTF_8);
        PersistentHistory history = new PersistentHistory(HistoryFile.open(directory.resolve("history")));

        history.load();

        assertThat(history.get(0)).isEqualTo("pod show \uFFFD[2Jx");
    }

    @Test
    void secretsAndLinesThatBeginWithABlankAreNotKept() throws IOException {
        PersistentHistory history = new PersistentHistory(HistoryFile.open(directory.resolve("history")));

        history.add(TIME, "x --password hunter2");
        history.add(TIME, " pool show");

        assertThat(Files.readString(directory.resolve("history"))).doesNotContain("hunter2", "pool");
        assertThat(history.all()).extracting(HistoryEntry::line).containsExactly("x --password ***");
    }
}
