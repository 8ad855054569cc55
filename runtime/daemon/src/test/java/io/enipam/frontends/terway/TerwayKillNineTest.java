package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.DaemonMain;
import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.engine.testing.TestThreads;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListInUseRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon as a process that is killed in the middle of the plugin's calls. */
class TerwayKillNineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path root;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    /** No ENI has a link here: an AllocIP that waits for one has its lease on disk and no answer yet. */
    @Test
    void aDaemonKilledBetweenTheLeaseAndTheAnswerKnowsTheSandboxAfterwards() throws Exception {
        Files.createDirectories(root.resolve("etc/enipam"));
        Files.writeString(
                root.resolve("etc/enipam/enipam.yaml"),
                "daemon: {mode: ENIOnly}\npool: {min_idle: 0, max_idle: 0, cool_down: 0s}\nsockets: {terway: "
                        + root.resolve("eni/eni.socket") + "}\nallocation: {timeout: 60s}\n");
        Files.createDirectories(root.resolve("etc/eni"));
        Files.writeString(root.resolve("etc/eni/eni.json"), "{\"service_cidr\": \"172.21.0.0/20\"}");
        Process killed = start();
        String lent;
        try (SocketClient client = ready();
                FakeTerwayPlugin plugin = plugin()) {
            CompletableFuture<AllocIPReply> alloc = CompletableFuture.supplyAsync(
                    () -> plugin.stub()
                            .allocIP(FakeTerwayPlugin.request("own-0", "c1").build()),
                    TestThreads.PER_TASK);
            await().atMost(PATIENCE).until(() -> inUse(client).size() == 1);
            lent = inUse(client).get(0).getResource().getAddresses(0);
            killed.destroyForcibly().waitFor();
            assertThatThrownBy(alloc::join).hasMessageContaining("UNAVAILABLE");
        }

        start();

        try (SocketClient client = ready();
                FakeTerwayPlugin plugin = plugin()) {
            assertThat(inUse(client))
                    .extracting(lease -> lease.getResource().getAddresses(0))
                    .containsExactly(lent);
            assertThat(plugin.info("own-0", "c1").getIPType()).isEqualTo(IPType.TypeVPCENI);
            ReleaseIPReply released = plugin.release("own-0", "c1");
            assertThat(lent).startsWith(released.getIPv4Addr() + "/");
            assertThat(inUse(client)).isEmpty();
            assertThat(plugin.release("own-0", "c1").getIPv4Addr()).isEmpty();
        }
    }

    private FakeTerwayPlugin plugin() {
        return new FakeTerwayPlugin(root.resolve("eni/eni.socket"));
    }

    private static List<Lease> inUse(SocketClient client) {
        List<Lease> all = new ArrayList<>();
        client.inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> all.addAll(reply.getLeasesList()));
        return all;
    }

    private SocketClient ready() {
        SocketClient client = new SocketClient(root.resolve("run/enipam.sock"));
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> client.inspect()
                        .getStatus(GetStatusRequest.getDefaultInstance())
                        .getPhase()
                        .equals("READY"));
        return client;
    }

    private Process start() throws IOException {
        Path log = root.resolve("log-" + processes.size());
        Process process = new ProcessBuilder(DaemonProgram.command(DaemonMain.class, root))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(process);
        return process;
    }
}
