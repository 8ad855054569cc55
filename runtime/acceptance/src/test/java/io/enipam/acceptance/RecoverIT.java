package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A daemon with pods is killed, its database is damaged, and {@code enipamd --recover} brings it back: the start before it
 * refuses and says why, a dry run changes nothing, and after it every pod has the address that it had.
 */
class RecoverIT extends DaemonFixture {
    private static final Pattern ROW = Pattern.compile("(default/\\S+)\\s+(\\d+\\.\\d+\\.\\d+\\.\\d+)/\\d+\\s.*");
    private static final int FRAMES = 4096;

    /** Hurts the database's files. */
    private interface Damage {
        void on(Path database) throws IOException;
    }

    @Test
    void aChangedByteInTheMiddleOfTheJournal() throws Exception {
        outlives(database -> {
            Path journal = last(database, "journal-");
            byte[] bytes = Files.readAllBytes(journal);
            int used = used(bytes);
            bytes[FRAMES + (used - FRAMES) / 2 / 32 * 32 + 5] ^= 0x10;
            Files.write(journal, bytes);
        });
    }

    @Test
    void aJournalCutInTheMiddleAndACheckpointWithAZeroedPage() throws Exception {
        outlives(database -> {
            Path journal = last(database, "journal-");
            byte[] bytes = Files.readAllBytes(journal);
            Files.write(journal, Arrays.copyOf(bytes, FRAMES + (used(bytes) - FRAMES) / 2));
            Path checkpoint = last(database, "checkpoint-");
            byte[] page = Files.readAllBytes(checkpoint);
            Arrays.fill(page, page.length / 2, page.length / 2 + 4096, (byte) 0);
            Files.write(checkpoint, page);
        });
    }

    @Test
    void nothingLeftButACheckpointThatIsBroken() throws Exception {
        outlives(database -> {
            try (Stream<Path> files = Files.list(database)) {
                for (Path file : files.toList()) {
                    if (file.getFileName().toString().startsWith("journal-")) {
                        Files.delete(file);
                    }
                }
            }
            Path checkpoint = last(database, "checkpoint-");
            Files.write(checkpoint, new byte[(int) Files.size(checkpoint)]);
        });
    }

    private void outlives(Damage damage) throws Exception {
        daemon.start("--emulate", "--log-level", "info");
        daemon.ok("cni add --pod default/a; cni add --pod default/b; cni add --pod default/gone");
        daemon.terminate(); // leaves a checkpoint
        daemon.start("--emulate", "--log-level", "info");
        Map<String, String> before = inUse(daemon.ok(
                "cni add --pod default/c; cni add --pod default/d; cni del --pod default/gone; cni add --pod default/e;"
                        + " pool inuse"));
        assertThat(before).containsOnlyKeys("default/a", "default/b", "default/c", "default/d", "default/e");
        daemon.kill();
        Path database = root.resolve("lib/db");
        damage.on(database);

        ProgramRunner.Result refused = enipamd();
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err().lines().reduce((first, last) -> last))
                .hasValueSatisfying(line ->
                        assertThat(line).startsWith("enipamd: ").contains(database.toString(), "enipamd --recover"));
        Map<String, Integer> damaged = hashes(root.resolve("lib"));

        ProgramRunner.Result dry = enipamd("--recover", "--dry-run");
        assertThat(dry.status()).as(dry.toString()).isZero();
        assertThat(hashes(root.resolve("lib"))).isEqualTo(damaged);
        assertThat(dry.out()).contains("Nothing was changed").contains("KERNEL").contains("default/a");

        ProgramRunner.Result recovered = enipamd("--recover");
        assertThat(recovered.status()).as(recovered.toString()).isZero();
        assertThat(decisions(recovered)).isEqualTo(decisions(dry));
        Path kept = last(root.resolve("lib"), "db.damaged-");
        assertThat(recovered.out()).contains("the old files are kept in " + kept);
        assertThat(hashes(kept).values()).isSubsetOf(damaged.values());

        daemon.start("--emulate", "--log-level", "info");
        String told =
                daemon.ok("cni add --pod default/f --timeout 60s; cni add --pod default/g --timeout 60s; pool inuse;"
                        + " pool sync; eni sweep --dry-run");
        Map<String, String> after = inUse(told);
        assertThat(after).containsAllEntriesOf(before).containsKeys("default/f", "default/g");
        assertThat(new HashSet<>(after.values())).hasSameSizeAs(after.values());
        assertThat(told).contains("all is as it should be", "nothing is left behind");
    }

    @Test
    void aDatabaseThatOpensIsLeftAlone() throws Exception {
        daemon.start("--emulate", "--log-level", "info");
        daemon.kill();

        ProgramRunner.Result nothing = enipamd("--recover");

        assertThat(nothing.status()).isZero();
        assertThat(nothing.out()).contains("opens: there is nothing to recover, and nothing was changed");
    }

    @Test
    void aDaemonThatRunsIsNotRecovered() throws Exception {
        daemon.start("--emulate", "--log-level", "info");

        ProgramRunner.Result refused = enipamd("--recover");

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).hasLineCount(1).contains("in use by enipamd with pid");
        assertThat(daemon.ok("status")).contains("READY");
    }

    @Test
    void itTellsProgramsALineOfJsonEach() throws Exception {
        daemon.start("--emulate", "--log-level", "info");
        daemon.ok("cni add --pod default/a");
        daemon.kill();
        Files.delete(last(root.resolve("lib/db"), "journal-"));
        Files.writeString(root.resolve("lib/db/journal-0000000000000000000.log"), "gone");

        ProgramRunner.Result dry = enipamd("--recover", "--dry-run", "--output", "json");

        assertThat(dry.status()).as(dry.toString()).isZero();
        assertThat(dry.out().lines())
                .allMatch(line -> line.startsWith("{\"type\":\"") && line.endsWith("}"))
                .anyMatch(line -> line.contains("\"type\":\"database\"") && line.contains("\"state\":\"damaged\""))
                .anyMatch(line -> line.contains("\"type\":\"witness\",\"name\":\"kernel\",\"answered\":true"))
                .anyMatch(line -> line.contains("\"action\":\"rebuild_lease\"") && line.contains("default/a"))
                .anyMatch(line -> line.contains("\"end\":\"dry_run\""));
    }

    private static List<String> decisions(ProgramRunner.Result result) {
        return result.out()
                .lines()
                .filter(line -> line.matches("(keep|rebuild|drop|quarantine|leave) .*"))
                .map(line -> line.replaceFirst("; until .*", ""))
                .toList();
    }

    /** The addresses of pods in a table of {@code pool inuse}. */
    private static Map<String, String> inUse(String table) {
        Map<String, String> addresses = new TreeMap<>();
        table.lines().map(ROW::matcher).filter(Matcher::matches).forEach(row -> {
            assertThat(addresses.put(row.group(1), row.group(2))).isNull();
        });
        return addresses;
    }

    private static Path last(Path directory, String prefix) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .max(Path::compareTo)
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int used(byte[] bytes) {
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static Map<String, Integer> hashes(Path directory) throws IOException {
        Map<String, Integer> hashes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                hashes.put(directory.relativize(file).toString(), Arrays.hashCode(Files.readAllBytes(file)));
            }
        }
        return hashes;
    }

    private ProgramRunner.Result enipamd(String... options) {
        List<String> all = Stream.concat(Stream.of("--root", root.toString(), "--emulate"), Arrays.stream(options))
                .toList();
        return programs.run(ProgramRunner.daemon(), all.toArray(String[]::new));
    }
}
