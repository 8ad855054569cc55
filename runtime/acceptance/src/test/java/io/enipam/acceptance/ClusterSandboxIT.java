package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code enipam --sandbox --role cluster}: a daemon without pool and ENIs, attached as any other, and nothing left behind. */
class ClusterSandboxIT extends SandboxFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    Path files;

    @Test
    void itsCommandsAnswerAndTheExamplesAreLoaded() {
        ProgramRunner.Result result = programs.enipam(
                "--sandbox",
                "--role",
                "cluster",
                "-c",
                "status; ecs budget; plugin list; doctor --fail-on none; db dump; db verify; events; config show; log; version");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.out())
                .contains("cluster leads", "warm-target")
                .doesNotContain("\npool.min_idle", "\nvswitches");
    }

    @Test
    void doctorSaysWhatTheVotersSayForWhichATaskWaits() throws IOException {
        Path config = Files.writeString(
                files.resolve("licences.yaml"),
                "extensions: [swarm, swarm-licences]\nplugins: {swarm: {licences: 2}}\n");
        Path runbook = Files.writeString(files.resolve("licences.runbook"), """
                swarm network create front
                swarm service create --name web --network front --replicas 3
                # the voters are asked when the tasks have their addresses
                retry 2m: expect doctor swarm/ballot \\
                  | grep 'not every voter has voted yes; swarm-licences: all 2 licences are taken'
                """);

        ProgramRunner.Result result = programs.enipam(
                "--sandbox", "--role", "cluster", "--config", config.toString(), "run", runbook.toString());

        assertThat(result.status()).as(result.toString()).isZero();
    }

    @Test
    void withNodesItHasAnApiServerInMemoryWhoseNodesGetBlocks() throws Exception {
        try (PseudoTerminal terminal = PseudoTerminal.run(
                programs.environment(),
                ProgramRunner.shell().toString(),
                "--sandbox",
                "--role",
                "cluster",
                "--nodes",
                "50",
                "--no-pager",
                "--no-tips")) {
            terminal.await("READY cluster leads)> ");
            // fifty blocks of nodes and sixteen of services: within moments, which nothing waits for but this
            await("all have blocks")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> {
                        terminal.type("nodeipam map\r");
                        terminal.await("cluster leads)> ");
                        return terminal.plain().contains("66 of 256 taken");
                    });
            terminal.type("nodeipam show\r");
            terminal.await("np-general");
            terminal.await("cluster leads)> ");
            terminal.type("explain 10.244.0.0/24\r");
            terminal.await("nodeipam block 10.244.0.0/24");
            terminal.await("10.244.0.0/24 by node ");
            terminal.await("cluster leads)> ");
            terminal.type("explain nobody\r");
            terminal.await("nobody here knows 'nobody' (NOT_FOUND)");
            terminal.await("nodeipam block BLOCK, nodeipam node NODE");
            terminal.await("cluster leads, exit 1)> ");
            Path page = files.resolve("map.html");
            terminal.type("nodeipam map --html " + page + "\r");
            terminal.await("written to " + page);
            terminal.await("cluster leads)> ");
            assertThat(page).content().startsWith("<!doctype html>");
            aSwarmGetsAddressesAndPorts(terminal);
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    private static void aSwarmGetsAddressesAndPorts(PseudoTerminal terminal) throws IOException {
        terminal.type("swarm network create ingress --ingress; swarm network create front; swarm node add node-1\r");
        terminal.await("cluster leads)> ");
        terminal.type("swarm service create --name web --network front --publish 8080:80 --replicas 2\r");
        terminal.await("cluster leads)> ");
        await("both tasks have an address on each network")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> {
                    terminal.type("swarm service ps web; swarm service ls; swarm ballot web.2\r");
                    terminal.await("cluster leads)> ");
                    assertThat(terminal.plain())
                            .containsPattern("web\\.1 +node-1 +PENDING +10\\.255\\.0\\.\\d+/16 10\\.0\\.0\\.\\d+/24")
                            .containsPattern("web\\.2 +node-1 +PENDING +10\\.255\\.0\\.\\d+/16 10\\.0\\.0\\.\\d+/24")
                            .contains("*:8080->80/tcp", "it has its networks");
                });
    }

    @Test
    void howManyNodesIsANumberAndForAClusterAlone() {
        for (String[] words : new String[][] {
            {"--sandbox", "--nodes", "50", "status"},
            {"--sandbox", "--role", "cluster", "--nodes", "many", "status"},
            {"--sandbox", "--role", "cluster", "--nodes", "0", "status"},
            {"--sandbox", "--role", "cluster", "--nodes", "1,2", "status"}
        }) {
            ProgramRunner.Result result = programs.enipam(words);
            assertThat(result.status()).as(result.toString()).isEqualTo(2);
            assertThat(result.err()).contains("--nodes");
        }
    }

    @Test
    void whatIsAboutAPoolIsRefusedInOneLineWithACode() {
        for (String command : List.of("pool show", "cni add --pod default/web-0", "gc run", "explain 10.0.0.2")) {
            ProgramRunner.Result result = programs.enipam("--sandbox", "--role", "cluster", "-c", command);

            assertThat(result.status()).as(result.toString()).isEqualTo(1);
            assertThat(result.err().lines())
                    .as(result.toString())
                    .singleElement()
                    .asString()
                    .contains("this daemon has role cluster: it has no pool, no pods and no ENIs");
        }
    }

    @Test
    void thePromptTellsTheRoleAndWhetherItLeads() throws Exception {
        try (PseudoTerminal terminal = PseudoTerminal.run(
                programs.environment(), ProgramRunner.shell().toString(), "--sandbox", "--role", "cluster")) {
            terminal.await("READY cluster leads)> ");
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }
}
