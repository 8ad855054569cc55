package io.enipam.diagnostics.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.DaemonLayout;
import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.daemon.testing.SomebodyElse;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.node.kernel.SimulatedDatapath;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudFault;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.FailCall;
import io.enipam.v1.Lease;
import io.enipam.v1.Pool;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.StickEni;
import io.enipam.v1.WarmPoolRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults that are really there, in a real daemon with the real client on the emulator: somebody else's hand in the cloud, in the
 * kernel's books and in the files, plugins that are no good, and a cloud that refuses. One daemon for all, in this order.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class InjectedFaultsTest {
    private static final Duration PATIENTLY = Duration.ofSeconds(90);
    private static final EmulatedSurroundings SURROUNDINGS = new EmulatedSurroundings();

    private static final String THROWING = """
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(new PoolPolicyProvider() {
                    public String name() { return "throwing"; }
                    public PoolPolicy open(PluginContext context) {
                        return new PoolPolicy() {
                            public String name() { return "throwing"; }
                            public Target target(PoolSnapshot pool) { throw new IllegalStateException("no idea"); }
                        };
                    }
                });
            }
            """;

    @TempDir
    static Path root;

    private static DaemonLayout layout;

    @AutoClose
    private static LivingDaemon daemon;

    private static SomebodyElse other;
    private int more;

    @BeforeAll
    static void start() throws IOException {
        layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().getParent());
        Files.createDirectories(layout.eniJson().getParent());
        Files.writeString(layout.enipamYaml(), """
                pool: {min_idle: 2, max_idle: 40, capacity: 60, cool_down: 1s, sync_interval: 1h, policy: throwing}
                emulator: {vswitches: {vsw-sandbox: 10.0.0.0/27}}
                """);
        Files.writeString(layout.eniJson(), "{\"version\": \"1\", \"max_eni\": 2, \"prefix\": \"p\"}");
        Path plugins = Files.createDirectories(layout.plugins());
        PluginJar.of("thrower").plugin(THROWING).write(plugins);
        Files.writeString(plugins.resolve("broken-1.0.0.jar"), "no jar at all");
        Instant now = Instant.now();
        Files.write(
                layout.starts(),
                Stream.of(9, 6, 3).map(ago -> now.minusSeconds(ago).toString()).toList());
        daemon = LivingDaemon.start(root, SURROUNDINGS);
        other = SURROUNDINGS.somebodyElse();
    }

    @Test
    @Order(1)
    void whatIsWrongFromTheStartIsFound() {
        patiently()
                .untilAsserted(() -> assertFound(Map.of(
                        "restart-storm", "WARN",
                        "plugin-failed", "WARN",
                        "capacity-reduced", "INFO",
                        "config-adjusted", "INFO",
                        "version-skew", "INFO")));
    }

    @Test
    @Order(2)
    void whatSomebodyElseDidInTheCloudAndInTheKernelIsFound() {
        List<Lease> pods =
                Stream.of("a", "b", "c", "d").map(pod -> add(pod, 30)).toList();
        Lease taken = pods.stream()
                .filter(lease ->
                        lease.getResource().getAttributesOrThrow("primary").equals("false"))
                .findFirst()
                .orElseThrow();
        List<Lease> others = pods.stream().filter(lease -> lease != taken).toList();
        String eni = taken.getResource().getParent();
        // else an address that is taken may be assigned again in the same moment
        patiently().until(InjectedFaultsTest::quiet);
        other.takes(eni, SocketClient.ip(taken));
        other.gives(eni, "10.0.0.28");
        String leaked = other.makesOneLike(eni);
        spoilTheKernel(others.get(0), others.get(1));
        daemon.client()
                .control()
                .deletePod(DeletePodRequest.newBuilder()
                        .setPod(others.get(2).getPod())
                        .build());

        // what is less than ten seconds old may be missing in the cloud's list
        patiently()
                .untilAsserted(() -> assertThat(assertFound(Map.of(
                                "address-lost", "CRITICAL",
                                "address-leaked", "WARN",
                                "address-duplicate", "CRITICAL",
                                "sandbox-disconnected", "CRITICAL",
                                "sandbox-stray", "WARN",
                                "lease-stale", "WARN",
                                "eni-leaked", "INFO")))
                        .contains(SocketClient.ip(taken), "10.0.0.28", leaked, "c-stray")
                        .contains(others.get(0).getPod(), others.get(2).getPod()));
    }

    private static boolean quiet() {
        Pool pool = daemon.client().pool();
        return pool.getCounts().getIdle() >= pool.getMinIdle()
                && pool.getCounts().getCreating() == 0;
    }

    @Test
    @Order(3)
    void anEniThatDoesNotComeToItsEndIsFoundAndAVswitchThatRunsOut() {
        fault(CloudFault.newBuilder().setApi("AttachNetworkInterface").setStick(StickEni.getDefaultInstance()));
        daemon.client()
                .control()
                .warmPool(WarmPoolRequest.newBuilder().setIdle(15).build());

        patiently().untilAsserted(() -> {
            SURROUNDINGS.passes(Duration.ofMinutes(1));
            assertFound(Map.of("eni-stuck", "WARN", "vswitch-low", "WARN"));
        });
        reset();
    }

    @Test
    @Order(4)
    void aCloudThatRefusesIsFoundByWhatIsNotMadeAndNotGivenBack() {
        for (String api : List.of("AssignPrivateIpAddresses", "UnassignPrivateIpAddresses", "CreateNetworkInterface")) {
            fault(CloudFault.newBuilder()
                    .setApi(api)
                    .setFail(FailCall.newBuilder().setCode("InternalError").setHttpStatus(500)));
        }
        daemon.client().control().drainPool(DrainPoolRequest.getDefaultInstance());

        patiently().untilAsserted(() -> {
            refused("more-" + ++more);
            assertThat(assertFound(Map.of(
                            "disposal-failing", "WARN",
                            "supply-failing", "CRITICAL",
                            "add-failures", "WARN",
                            "plugin-degraded", "WARN",
                            "pool-drained", "INFO",
                            "stock-low", "OK")))
                    .contains("pool drain --undo", "InternalError");
        });
        reset();
    }

    /** What came of the ADD is the doctor's to say. */
    private static void refused(String pod) {
        try {
            add(pod, 1);
        } catch (StatusRuntimeException refusal) {
            assertThat(refusal).hasMessageContaining("address");
        }
    }

    /** One pod is cut off, and another's address is connected to a sandbox that nobody knows as well. */
    private static void spoilTheKernel(Lease cutOff, Lease shared) {
        SimulatedDatapath kernel = new SimulatedDatapath(layout.simulatedKernel());
        kernel.tearDown(owner(cutOff, cutOff.getOwner().getContainer()))
                .toCompletableFuture()
                .join();
        kernel.setUp(new DatapathRequest(strayOf(shared), LinkRequest.simulated(), PodNetworkSpec.NONE))
                .toCompletableFuture()
                .join();
    }

    @Test
    @Order(5)
    void threadsThatWaitForOneAnotherAreFound() throws Exception {
        ReentrantLock left = new ReentrantLock();
        ReentrantLock right = new ReentrantLock();
        List<Thread> threads = List.of(embrace(left, right), embrace(right, left));
        threads.forEach(Thread::start);

        patiently().untilAsserted(() -> assertThat(severities("deadlocked")).containsEntry("deadlocked", "CRITICAL"));
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
        assertThat(severities("deadlocked")).containsEntry("deadlocked", "OK");
    }

    private static Thread embrace(ReentrantLock first, ReentrantLock second) {
        Thread thread = new Thread(() -> {
            first.lock();
            try {
                while (!second.hasQueuedThreads() && !second.isLocked()) {
                    Thread.onSpinWait();
                }
                second.lockInterruptibly();
                second.unlock();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                first.unlock();
            }
        });
        thread.setDaemon(true);
        return thread;
    }

    @Test
    @Order(6)
    void aDatabaseThatADiskHasSpoiltIsFound() throws IOException {
        Path journal;
        try (Stream<Path> files = Files.list(layout.database())) {
            journal = files.filter(file -> file.getFileName().toString().startsWith("journal"))
                    .max((one, two) ->
                            Long.compare(one.toFile().length(), two.toFile().length()))
                    .orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(journal.toFile(), "rw")) {
            file.seek(200);
            int was = file.read();
            file.seek(200);
            file.write(was ^ 0x10);
        }

        patiently()
                .untilAsserted(
                        () -> assertThat(severities("database-damaged")).containsEntry("database-damaged", "CRITICAL"));
    }

    /** Not more often than people may have the cloud asked. */
    private static ConditionFactory patiently() {
        return await().atMost(PATIENTLY).pollDelay(Duration.ZERO).pollInterval(Duration.ofSeconds(2));
    }

    /** @return all that was found, as text */
    private static String assertFound(Map<String, String> severities) {
        Map<String, DoctorFinding> found = findings(severities.keySet().toArray(String[]::new));
        assertThat(severities(found)).containsExactlyInAnyOrderEntriesOf(severities);
        return found.toString();
    }

    private static Map<String, String> severities(String... checks) {
        return severities(findings(checks));
    }

    private static Map<String, String> severities(Map<String, DoctorFinding> findings) {
        return findings.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, found -> found.getValue().getSeverity()));
    }

    private static Map<String, DoctorFinding> findings(String... checks) {
        RunDoctorReply reply = daemon.client()
                .inspect()
                .runDoctor(RunDoctorRequest.newBuilder()
                        .addAllChecks(List.of(checks))
                        .setClientVersion("0.0.0-another")
                        .build());
        return reply.getFindingsList().stream().collect(Collectors.toMap(DoctorFinding::getCheck, Function.identity()));
    }

    private static Lease add(String pod, int seconds) {
        return daemon.add("default/" + pod, Duration.ofSeconds(seconds));
    }

    private static void fault(CloudFault.Builder fault) {
        daemon.client()
                .control()
                .addCloudFault(AddCloudFaultRequest.newBuilder().setFault(fault).build());
    }

    private static void reset() {
        daemon.client().control().resetCloud(ResetCloudRequest.getDefaultInstance());
    }

    private static OwnerKey owner(Lease lease, String container) {
        return new OwnerKey(
                lease.getOwner().getNetwork(), container, lease.getOwner().getIfname());
    }

    /** Another sandbox with this one's address, as a runtime leaves one behind that lost a DEL. */
    private static io.enipam.engine.model.Lease strayOf(Lease lease) {
        Resource resource = new Resource(
                new ResourceId(lease.getResource().getId()),
                ResourceKind.ENI_IP,
                List.of(Address.parse(lease.getResource().getAddresses(0))),
                lease.getResource().getParent(),
                Map.of());
        return new io.enipam.engine.model.Lease(
                owner(lease, "c-stray"), PodRef.parse("default/stray"), "u", resource, Duration.ZERO, Instant.now());
    }
}
