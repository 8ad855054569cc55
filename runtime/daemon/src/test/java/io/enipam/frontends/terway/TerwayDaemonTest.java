package io.enipam.frontends.terway;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.IPType;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.RunGcRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Terway's plugin before a whole daemon on the emulated cloud, pods sharing ENIs: the plugin's calls in its own order. The mistakes
 * are those of terway's daemon of 2020, by their number.
 */
class TerwayDaemonTest {
    @TempDir
    private static Path root;

    private static LivingDaemon daemon;
    private static FakeTerwayPlugin plugin;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);

    @BeforeAll
    static void start() throws IOException {
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(
                yaml,
                "sockets: {terway: " + root.resolve("eni/eni.socket")
                        + "}\npool: {min_idle: 2, max_idle: 5, cool_down: 0s}\nallocation: {timeout: 60s}\n");
        open();
    }

    private static void open() {
        daemon = LivingDaemon.start(root, new EmulatedLinksEnvironment());
        plugin = new FakeTerwayPlugin(root.resolve("eni/eni.socket"));
    }

    @AfterAll
    static void stop() {
        plugin.close();
        daemon.close();
    }

    @AfterEach
    void nothingIsLeft() {
        threads.shutdownNow();
        for (Lease lease : leases()) {
            plugin.release(
                    lease.getPod().substring("default/".length()),
                    lease.getOwner().getContainer());
        }
        assertThat(leases()).isEmpty();
        assertThat(callers()).as("remembered sandboxes").isEmpty();
    }

    private static List<Lease> leases() {
        return daemon.client().pods().stream()
                .flatMap(pod -> pod.getLeasesList().stream())
                .toList();
    }

    private static List<Path> callers() {
        Path directory = root.resolve("run/callers-attachments");
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String address(AllocIPReply reply) {
        return reply.getENIMultiIP().getEniConfig().getIPv4Addr();
    }

    @Test
    void aPodComesAndGoesAsThePluginDoesIt() {
        AllocIPReply reply = plugin.add("web-0", "c1");

        ENI eni = reply.getENIMultiIP().getEniConfig();
        assertThat(eni.getIPv4Subnet()).isEqualTo("10.0.0.0/24");
        assertThat(eni.getGateway()).isEqualTo("10.0.0.253");
        assertThat(eni.getDeviceNumber()).isEqualTo(EmulatedLinksEnvironment.index(eni.getMacAddr()));
        assertThat(eni.getPrimaryIPv4Addr()).isEqualTo("10.0.0.250");
        assertThat(callers()).as("the daemon remembers who was connected").hasSize(1);
        assertThat(plugin.info("web-0", "c1")).satisfies(info -> {
            assertThat(info.getIPType()).isEqualTo(IPType.TypeENIMultiIP);
            assertThat(info.getPodIP()).isEqualTo(eni.getIPv4Addr());
        });
        assertThat(plugin.del("web-0", "c1").getIPv4Addr()).isEqualTo(eni.getIPv4Addr());
        assertThat(plugin.del("web-0", "c1").getSuccess()).as("a second DEL").isTrue();
    }

    @Test
    void mistake1ALateReleaseOfAnOldSandboxFreesNothingOfTheNewOne() {
        String old = address(plugin.add("web-0", "old"));
        String current = address(plugin.add("web-0", "new"));
        assertThat(current).isNotEqualTo(old);

        plugin.release("web-0", "old");
        plugin.release("web-0", "old");

        assertThat(leases())
                .singleElement()
                .satisfies(lease -> assertThat(lease.getOwner().getContainer()).isEqualTo("new"));
        Set<String> others = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            others.add(address(plugin.add("other-" + i, "o" + i)));
        }
        assertThat(others).hasSize(6).doesNotContain(current);
    }

    @Test
    void mistake3AllocAndReleaseOfOneSandboxAtOnceLeaveAllOrNothing() {
        for (int round = 0; round < 10; round++) {
            String container = "c" + round;
            CompletableFuture<?> alloc = CompletableFuture.runAsync(
                    () -> plugin.stub()
                            .allocIP(
                                    FakeTerwayPlugin.request("web-0", container).build()),
                    threads);
            CompletableFuture<?> release =
                    CompletableFuture.runAsync(() -> plugin.release("web-0", container), threads);
            // the alloc may be told that it was released meanwhile
            alloc.handle((done, failure) -> done).join();
            release.join();
            plugin.release("web-0", container);
            assertThat(leases()).isEmpty();
        }
    }

    @Test
    void mistake5TheSameSandboxAskedForEightTimesAtOnceGetsOneAddress() {
        List<CompletableFuture<String>> calls = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> address(plugin.stub()
                                .allocIP(FakeTerwayPlugin.request("web-0", "c1").build())),
                        threads))
                .toList();

        assertThat(calls.stream().map(CompletableFuture::join).distinct()).hasSize(1);
        assertThat(leases()).hasSize(1);
    }

    @Test
    void eightSandboxesOfOnePodAtOnceGetEightAddresses() {
        List<CompletableFuture<String>> calls = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> address(plugin.stub()
                                .allocIP(FakeTerwayPlugin.request("web-0", "c" + i)
                                        .build())),
                        threads))
                .toList();

        assertThat(calls.stream().map(CompletableFuture::join).distinct()).hasSize(8);
    }

    @Test
    void mistake6APodMadeAnewUnderTheSameNameInheritsNothing() {
        String before = address(plugin.add("web-0", "before"));
        daemon.client()
                .control()
                .deletePod(DeletePodRequest.newBuilder().setPod("default/web-0").build());

        String after = address(plugin.add("web-0", "after"));

        assertThat(after).isNotEqualTo(before);
        assertThat(leases().stream().map(Lease::getPodUid).distinct()).hasSize(2);
    }

    @Test
    void aPodWhoseDelNeverComesIsCollectedWithWhatIsRememberedOfIt() {
        plugin.add("gone-0", "c1");
        daemon.client()
                .control()
                .deletePod(
                        DeletePodRequest.newBuilder().setPod("default/gone-0").build());

        daemon.client().control().runGc(RunGcRequest.getDefaultInstance());

        assertThat(leases()).isEmpty();
        assertThat(callers()).isEmpty();
    }

    @Test
    void aPodOfBeforeTheDaemonsRestartHasItsAddressAndItsDel() {
        String before = address(plugin.add("web-0", "c1"));
        stop();
        open();

        assertThat(plugin.info("web-0", "c1").getPodIP()).isEqualTo(before);
        assertThat(address(plugin.add("web-0", "c1")))
                .as("the same sandbox again")
                .isEqualTo(before);
        assertThat(plugin.del("web-0", "c1").getIPv4Addr()).isEqualTo(before);
    }
}
