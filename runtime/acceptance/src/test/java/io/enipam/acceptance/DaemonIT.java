package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** {@code enipamd --root DIR --emulate} by itself, and the shell attached to it. */
class DaemonIT extends DaemonFixture {
    @Test
    void leasesAreThereAfterKillNine() throws Exception {
        daemon.start();
        String before = daemon.ok("cni add --pod default/a; cni add --pod default/b; pool inuse -o json");
        daemon.kill();

        daemon.start();

        String after = daemon.ok("pool inuse -o json");
        assertThat(after).contains("default/a", "default/b");
        assertThat(before).endsWith(after);
        assertThat(daemon.ok("cni add --pod default/c; pool inuse")).contains("default/c");
    }

    /** With the cloud's own latencies an ENI takes seconds to come: long enough to die in the middle. */
    @Test
    void aDaemonKilledWhileItMakesAnEniPutsItRightAfterwards() throws Exception {
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        Files.writeString(config, "emulator:\n  latency: real\n");
        daemon.start();
        Process add = programs.start(
                ProgramRunner.shell(),
                "--socket",
                daemon.socket().toString(),
                "-c",
                "cni add --pod default/a --timeout 30s");
        Awaitility.await("an operation is open")
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> daemon.ok("db dump --bucket operations -o json").contains("operations"));
        daemon.kill();
        add.waitFor();

        daemon.start();

        Awaitility.await("no operation is open")
                .atMost(Duration.ofSeconds(60))
                .until(() -> !daemon.ok("db dump --bucket operations -o json").contains("operations"));
        daemon.ok("cni add --pod default/b --timeout 60s");
        Awaitility.await("every ENI is where it shall be")
                .atMost(Duration.ofSeconds(60))
                .until(() -> !daemon.ok("eni list").matches("(?s).*(Creating|Attaching|Detaching|Deleting|Stuck).*"));
        assertThat(daemon.ok("eni sweep --dry-run")).contains("nothing is left behind");
    }

    @Test
    void onePodTooManyIsToldCapacityAndTheNextAfterADelSucceeds() throws Exception {
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        Files.writeString(config, "emulator:\n  instance_type: ecs.g6.large\npool:\n  cool_down: 1s\n");
        daemon.start();
        for (int i = 0; i < 6; i++) {
            daemon.ok("cni add --pod default/p" + i);
        }

        // again where a busy machine holds the daemon up for longer than that: it can only say then that the time is
        // over
        Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            ProgramRunner.Result refused = daemon.attached("cni add --pod default/one-too-many --timeout 2s");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.err()).hasLineCount(1).contains("capacity 6", "in use 6", "POOL_EXHAUSTED");
        });

        daemon.ok("cni del --pod default/p3");
        daemon.ok("cni add --pod default/one-too-many --timeout 60s");
    }

    @Test
    void aSecondDaemonOnTheSameDirectoryIsRefused() throws Exception {
        daemon.start();

        ProgramRunner.Result second = programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--emulate");

        assertThat(second.status()).isEqualTo(1);
        assertThat(second.err().lines().reduce((a, b) -> b).orElseThrow()).contains("in use", root.toString());
        assertThat(daemon.ok("status")).contains("READY");
    }

    @Test
    void everyProblemOfAConfigurationIsToldAtOnce() throws Exception {
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        Files.writeString(config, "pool:\n  min_idel: 3\n  max_idle: -1\ngc:\n  interval: soon\n");

        ProgramRunner.Result result = programs.run(ProgramRunner.daemon(), "--root", root.toString(), "--emulate");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("min_idel", "min_idle", "max_idle", "-1", "gc.interval", "soon");
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsNamedInOneLine() throws Exception {
        Path file = Files.writeString(scratch.resolve("file"), "");

        ProgramRunner.Result result = programs.run(
                ProgramRunner.daemon(), "--root", file.resolve("root").toString(), "--emulate");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains(file.toString()).hasLineCount(1);
    }

    @Test
    void aSocketThatIsNotThereIsStatusThreeAndOneLine() {
        ProgramRunner.Result result =
                programs.enipam("--socket", scratch.resolve("no.sock").toString(), "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).hasLineCount(1).contains("no.sock", "--sandbox");
    }

    @Test
    void sigtermStopsItCleanly() throws Exception {
        daemon.start();
        Process running = daemon.process();
        running.destroy();

        assertThat(running.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(running.exitValue()).isIn(0, 143);
        assertThat(daemon.socket()).doesNotExist();
        daemon.start();
        assertThat(daemon.ok("status")).contains("READY");
    }
}
