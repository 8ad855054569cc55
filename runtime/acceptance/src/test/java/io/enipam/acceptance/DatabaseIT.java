package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools of the database, from the shell's command line to the files of a real daemon. */
class DatabaseIT extends DaemonFixture {
    private static final int ROUNDS = Integer.getInteger("enipam.restore.rounds", 3);
    private static final Pattern POD = Pattern.compile("\"pod\": \"([^\"]*)\"");
    private static final Pattern ADDRESS = Pattern.compile("\"addresses\": \\[\"([^\"]*)\"");

    @Test
    void whatIsBackedUpIsRestoredByADaemonThatStartsAnewInItsOwnProcess() throws Exception {
        daemon.start();
        long pid = daemon.process().pid();
        Path file = scratch.resolve("root/backup.jsonl");
        daemon.ok("cni add --pod default/a; cni add --pod default/b; db backup " + file);
        daemon.ok("cni del --pod default/b; cni add --pod default/late");

        ProgramRunner.Result refused = daemon.attached("db restore " + file);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("it has to be confirmed", "--yes");
        assertThat(daemon.ok("db restore " + file + " --dry-run"))
                .contains("1 stays, 1 would be lost, 1 would come back", "default/late");

        assertThat(daemon.ok("db restore " + file + " --yes"))
                .endsWith("the daemon is up again, on the restored database\n");

        assertThat(pods()).contains("default/a", "default/b");
        assertThat(daemon.ok("status")).contains("pid " + pid);
        assertThat(daemon.ok("db verify")).contains("\nsound up to commit ");
        assertThat(kept()).hasSize(1);
        assertThat(daemon.ok("cni add --pod default/next; pool inuse")).contains("default/next");
    }

    @Test
    void exportImportExportGivesTheSameLeasesToTheByte() throws Exception {
        daemon.start();
        daemon.ok("cni add --pod default/a; cni add --pod default/b");
        Path first = scratch.resolve("root/first.jsonl");
        Path second = scratch.resolve("root/second.jsonl");
        daemon.ok("db export " + first);

        daemon.ok("db import " + first + " --yes");
        daemon.ok("db export " + second);

        assertThat(leases(second)).isEqualTo(leases(first)).hasSize(2);
        assertThat(daemon.ok("db export")
                        .lines()
                        .filter(line -> line.startsWith("{\"bucket\":\"leases\""))
                        .toList())
                .isEqualTo(leases(first));
    }

    private static List<String> leases(Path export) throws IOException {
        return Files.readAllLines(export).stream()
                .filter(line -> line.startsWith("{\"bucket\":\"leases\""))
                .toList();
    }

    /** Whenever the daemon dies on its way from one database to the other, the next one has the one or the other. */
    @Test
    void aDaemonKilledInTheMiddleOfARestoreHasTheOldLeasesOrThoseOfTheFile() throws Exception {
        Random random = new Random(20261121);
        daemon.start();
        for (int round = 0; round < ROUNDS; round++) {
            String gone = "default/gone-" + round;
            String late = "default/late-" + round;
            Path file = scratch.resolve("root/backup-" + round);
            daemon.ok("cni add --pod default/a; cni add --pod " + gone + "; db backup " + file);
            daemon.ok("cni del --pod " + gone + "; cni add --pod " + late);
            int before = kept().size();

            Process restore = programs.start(
                    ProgramRunner.shell(),
                    "--socket",
                    daemon.socket().toString(),
                    "db",
                    "restore",
                    file.toString(),
                    "--yes");
            awaitBegun(before);
            Thread.sleep(random.nextInt(400));
            daemon.kill();
            restore.destroyForcibly().waitFor();
            daemon.start();

            Set<String> pods = pods();
            boolean taken = kept().size() > before;
            assertThat(pods).as("round %d", round).contains("default/a", taken ? gone : late);
            assertThat(addresses()).doesNotHaveDuplicates();
            assertThat(daemon.ok("db verify")).contains("\nsound up to commit ");
            assertThat(root.resolve("lib/db.staged")).doesNotExist();
            assertThat(root.resolve("lib/db.staged.tmp")).doesNotExist();
            daemon.ok(pods.stream().map(pod -> "cni del --pod " + pod).collect(Collectors.joining("; ")));
        }
    }

    /**
     * The audit log has a line of it only when it is over, so the files are looked at.
     *
     * @param before how many databases were kept before it
     */
    private void awaitBegun(int before) {
        Awaitility.await("the restore has begun or is over")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> Files.exists(root.resolve("lib/db.staged.tmp"))
                        || Files.exists(root.resolve("lib/db.staged"))
                        || kept().size() > before);
    }

    @Test
    void aDaemonThatDoesNotRunHasItsDatabaseVerifiedAndRestoredByEnipamd() throws Exception {
        daemon.start();
        Path file = scratch.resolve("root/backup");
        daemon.ok("cni add --pod default/a; db backup " + file);
        ProgramRunner.Result busy = programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--verify-db");
        assertThat(busy.status()).isEqualTo(1);
        assertThat(busy.err())
                .hasLineCount(1)
                .contains("is in use by enipamd with pid " + daemon.process().pid());
        daemon.kill();

        ProgramRunner.Result sound = programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--verify-db");
        assertThat(sound.status()).as(sound.toString()).isZero();
        assertThat(sound.out()).contains("the database is sound up to commit ");

        Path journal;
        try (Stream<Path> files = Files.list(root.resolve("lib/db"))) {
            journal = files.filter(each -> each.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(journal);
        bytes[4096 + 40] ^= 1;
        Files.write(journal, bytes);
        ProgramRunner.Result damaged = programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--verify-db");
        assertThat(damaged.status()).isEqualTo(1);
        assertThat(damaged.out()).contains(journal + " at 4096", "the database is not sound");

        assertThat(restoredOffline(file).status()).isEqualTo(1);
        ProgramRunner.Result restored = restoredOffline(file, "--yes");
        assertThat(restored.status()).as(restored.toString()).isZero();
        assertThat(restored.out()).contains("the database was restored from " + file, "start enipamd");
        daemon.start();
        assertThat(pods()).containsExactly("default/a");
    }

    private ProgramRunner.Result restoredOffline(Path file, String... more) {
        return programs.run(
                ProgramRunner.daemon(),
                Stream.concat(Stream.of("--root", root.toString(), "--restore-db", file.toString()), Stream.of(more))
                        .toArray(String[]::new));
    }

    private Set<String> pods() {
        return new HashSet<>(found(POD, daemon.ok("pool inuse -o json")));
    }

    private List<String> addresses() {
        return found(ADDRESS, daemon.ok("pool inuse -o json"));
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    /** The databases that restores have kept. */
    private List<Path> kept() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("lib"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("db.before-restore-"))
                    .toList();
        }
    }
}
