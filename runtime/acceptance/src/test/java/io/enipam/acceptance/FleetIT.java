package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.engine.testing.TestThreads;
import io.enipam.kubernetes.testing.ExecServer;
import io.enipam.kubernetes.testing.ExecServer.Program;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs as they are: the shell goes through an API server, which starts the relay of {@code shell/bin/enipam} as a
 * process, to a daemon that runs.
 */
class FleetIT {
    @TempDir
    static Path scratch;

    private static ProgramRunner programs;
    private static DaemonWithShell daemon;
    private static ExecServer cluster;
    private static String kubeconfig;

    @BeforeAll
    static void start() throws Exception {
        programs = new ProgramRunner(scratch);
        daemon = new DaemonWithShell(programs, Files.createDirectory(scratch.resolve("root")));
        daemon.start();
        cluster = new ExecServer();
        kubeconfig = cluster.kubeconfig(scratch).toString();
        cluster.daemon("cn-1", relay(daemon.socket()));
        cluster.daemon("cn-2", relay(scratch.resolve("nobody.sock")));
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
        daemon.close();
    }

    /** What a container does: runs the words, with the socket that is mounted in it. */
    private static Program relay(Path socket) {
        return (words, in, out, err) -> {
            assertThat(words).containsExactly("enipam", "relay");
            Process process = programs.start(ProgramRunner.shell(), "relay", "--socket", socket.toString());
            CompletableFuture<Void> asked = CompletableFuture.runAsync(
                    () -> {
                        try (OutputStream to = process.getOutputStream()) {
                            byte[] buffer = new byte[8192];
                            var from = Channels.newInputStream(in);
                            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                                to.write(buffer, 0, n);
                                to.flush();
                            }
                        } catch (java.io.IOException ended) {
                            return; // the relay was first
                        }
                    },
                    TestThreads.PER_TASK);
            CompletableFuture<Void> said = CompletableFuture.runAsync(
                    () -> {
                        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))
                                .lines()
                                .forEach(err::println);
                    },
                    TestThreads.PER_TASK);
            process.getInputStream().transferTo(Channels.newOutputStream(out));
            said.get(60, TimeUnit.SECONDS);
            assertThat(asked).isNotNull();
            return process.waitFor();
        };
    }

    @Test
    void aChangeAtAnotherNodeIsMadeThereAndItsAuditLogSaysWhoSatWhere() throws Exception {
        ProgramRunner.Result added =
                programs.enipam("--kubeconfig", kubeconfig, "--node", "cn-1", "cni", "add", "--pod", "default/far");
        ProgramRunner.Result seen =
                programs.enipam("--kubeconfig", kubeconfig, "--node", "cn-1", "-o", "name", "pool", "inuse");

        assertThat(added.err()).isEmpty();
        assertThat(added.status()).isZero();
        assertThat(seen.out()).contains("default/far");
        Path audit = Files.find(scratch.resolve("root"), 5, (file, is) -> file.endsWith("audit.log"))
                .findFirst()
                .orElseThrow();
        JsonNode line = Files.readAllLines(audit).stream()
                .filter(text -> text.contains("default/far"))
                .map(FleetIT::json)
                .findFirst()
                .orElseThrow();
        assertThat(line.get("caller").textValue()).matches("[^@]+@[^@]+");
        assertThat(line.get("pid").longValue()).isNotEqualTo(daemon.process().pid());
    }

    private static JsonNode json(String line) {
        try {
            return new ObjectMapper().readTree(line);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void allNodesAnswerAndTheOneThatCannotIsNamedInTheWordsOfItsRelay() {
        // again where a relay was not there in time
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            ProgramRunner.Result all = programs.enipam("--kubeconfig", kubeconfig, "--all-nodes", "-c", "status");

            List<String> lines = all.out().lines().toList();
            assertThat(lines).hasSize(2);
            assertThat(lines.get(0)).startsWith("NODE  PHASE");
            assertThat(lines.get(1)).startsWith("cn-1  READY");
            assertThat(all.err())
                    .contains("enipam: cn-2: status failed: node cn-2: there is no socket "
                            + scratch.resolve("nobody.sock"))
                    .endsWith("enipam: 1 of 2 nodes done, 1 failed: cn-2\n");
            assertThat(all.status()).isEqualTo(3);
        });
    }

    @Test
    void ctrlCEndsItWithEverythingThatItHadBegun() throws Exception {
        cluster.daemon("cn-9", (words, in, out, err) -> {
            byte[] buffer = new byte[8192];
            var from = Channels.newInputStream(in);
            while (from.read(buffer) >= 0) {
                continue;
            }
            return 0;
        });
        try {
            // a build in the background ignores the signal, and all that it starts would do so, too
            Process shell = programs.start(
                    Path.of("env"),
                    "--default-signal=INT",
                    "ENIPAM_NO_ARCHIVE=1", // a process of its own would make one meanwhile
                    ProgramRunner.shell().toString(),
                    "--kubeconfig",
                    kubeconfig,
                    "--all-nodes",
                    "--nodes",
                    "cn-9",
                    "--node-timeout",
                    "100s",
                    "version");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> cluster.requests().contains("exec enipam-cn-9"));
            new ProcessBuilder("kill", "-INT", Long.toString(shell.pid()))
                    .start()
                    .waitFor();

            assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(shell.exitValue()).isEqualTo(130);
            assertThat(new String(shell.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("0 of 1 node done; interrupted, 1 did not answer before");
            try (var left = Files.list(scratch)) {
                assertThat(left.filter(file -> file.getFileName().toString().startsWith("enipam-")))
                        .isEmpty();
            }
        } finally {
            cluster.remove("enipam-cn-9");
        }
    }
}
