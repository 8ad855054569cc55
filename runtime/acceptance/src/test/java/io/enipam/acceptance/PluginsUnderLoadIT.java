package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.Eni;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginPart;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every example dropped into the plugins directory of a real daemon, and each of them swapped in and out while pods come and go. */
class PluginsUnderLoadIT extends DaemonFixture {
    private static final int CALLERS = 8;
    private static final List<String> POLICIES = List.of("warm-target", "eni-packing", "churn-adaptive", "watermark");
    private static final List<String> FACTORIES = List.of("cidr", "resilient", "eni-ip");
    private static final Duration CALL = Duration.ofSeconds(40);

    private final Map<String, String> lent = new ConcurrentHashMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger added = new AtomicInteger();
    private volatile boolean stop;

    @BeforeEach
    void prepare() throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), """
                        pool: {cool_down: 200ms}
                        plugins:
                          cidr-factory: {ranges: [10.64.0.0/24]}
                          resilient-factory: {wraps: eni-ip}
                        """);
        Path plugins = Files.createDirectories(root.resolve("lib/plugins"));
        try (Stream<Path> examples = Files.list(Project.root().resolve("plugins-examples"))) {
            for (Path built : examples.map(example -> example.resolve("target/plugin"))
                    .filter(Files::isDirectory)
                    .toList()) {
                Project.copy(
                        built, plugins.resolve(built.getParent().getParent().getFileName()));
            }
        }
    }

    @AfterEach
    void stopCallers() {
        stop = true;
    }

    @Test
    void everyPolicyAndFactoryIsSwappedUnderLoadWithoutAFailedAddADuplicateOrALeak() throws Exception {
        daemon.start();
        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            assertThat(plugins(shell))
                    .extracting(Plugin::getId, Plugin::getState)
                    .contains(
                            tuple("warm-target-policy", "LOADED"),
                            tuple("eni-packing-policy", "LOADED"),
                            tuple("churn-adaptive-policy", "LOADED"),
                            tuple("cidr-factory", "LOADED"),
                            tuple("resilient-factory", "LOADED"));
            List<Thread> callers = callers();
            for (String factory : FACTORIES) {
                for (String policy : POLICIES) {
                    shell.control(
                            CALL,
                            stub -> stub.swapPolicy(SwapPolicyRequest.newBuilder()
                                    .setName(policy)
                                    .build()));
                    churn();
                }
                shell.control(
                        CALL,
                        stub -> stub.swapFactory(
                                SwapFactoryRequest.newBuilder().setName(factory).build()));
                churn();
            }
            stop = true;
            for (Thread caller : callers) {
                caller.join(60_000);
            }

            assertThat(failures).isEmpty();
            assertThat(added.get()).as("pods that came and went").isGreaterThan(100);
            assertNothingLeaks(shell);
            assertThat(plugins(shell)).as("no plugin fared badly").allSatisfy(plugin -> {
                assertThat(plugin.getState()).as(plugin.getId()).isIn("LOADED", "ACTIVE");
                assertThat(plugin.getCalls().getFailed()).as(plugin.getId()).isZero();
                assertThat(plugin.getCalls().getRejected()).as(plugin.getId()).isZero();
                assertThat(plugin.getCalls().getLeakedThreads())
                        .as(plugin.getId())
                        .isZero();
            });
        }
    }

    @Test
    void aRestartComesUpAsItWentDown() throws Exception {
        daemon.start();
        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            add(shell, "default/old");
            shell.control(
                    CALL,
                    stub -> stub.swapPolicy(SwapPolicyRequest.newBuilder()
                            .setName("warm-target")
                            .build()));
            shell.control(
                    CALL,
                    stub -> stub.swapFactory(
                            SwapFactoryRequest.newBuilder().setName("cidr").build()));
            add(shell, "default/new");
        }
        daemon.kill();

        daemon.start();

        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            assertThat(pool(shell).getPolicy()).isEqualTo("warm-target");
            assertThat(pool(shell).getKind()).isEqualTo("host-local");
            assertThat(factory(shell, "cidr").getState()).isEqualTo("ACTIVE");
            assertThat(factory(shell, "eni-ip").getState()).isEqualTo("LEAVING");
            shell.control(
                    CALL,
                    stub -> stub.cniDel(
                            CniDelRequest.newBuilder().setPod("default/old").build()));
            await(
                    "the cloud's factory is done with",
                    () -> factory(shell, "eni-ip").getState().equals("CLOSED"));
        }
    }

    private List<Thread> callers() {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            int number = i;
            Thread caller = new Thread(() -> call(number), "caller-" + i);
            caller.start();
            callers.add(caller);
        }
        return callers;
    }

    /** One caller: pods come, hold their address for a moment, and go. */
    private void call(int number) {
        RandomGenerator random = new SplittableRandom(number);
        try (DaemonConnection shell = DaemonConnection.open(daemon.socket())) {
            for (int i = 0; !stop; i++) {
                String pod = "load/p" + number + "-" + i;
                Lease lease = add(shell, pod);
                String address = lease.getResource().getAddresses(0);
                String other = lent.putIfAbsent(address, pod);
                if (other != null) {
                    failures.add(address + " is lent to " + pod + " and to " + other);
                }
                LockSupport.parkNanos(random.nextLong(20_000_000));
                lent.remove(address, pod);
                shell.control(
                        CALL,
                        stub -> stub.cniDel(
                                CniDelRequest.newBuilder().setPod(pod).build()));
                added.incrementAndGet();
            }
        } catch (RuntimeException e) {
            failures.add(Thread.currentThread().getName() + ": " + e);
        }
    }

    private static Lease add(DaemonConnection shell, String pod) {
        return shell.control(
                        CALL,
                        stub -> stub.cniAdd(CniAddRequest.newBuilder()
                                .setPod(pod)
                                .setTimeout(Durations.fromSeconds(30))
                                .build()))
                .getLease();
    }

    private void assertNothingLeaks(DaemonConnection shell) throws IOException {
        await(
                "all that left is gone",
                () -> Stream.of("cidr", "resilient")
                        .allMatch(name -> factory(shell, name).getState().equals("CLOSED")));
        Awaitility.await("the pool settles").atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
            Pool pool = pool(shell);
            assertThat(pool.getCounts())
                    .as("what is left in %s", pool)
                    .isEqualTo(PoolCounts.newBuilder()
                            .setIdle(pool.getCounts().getIdle())
                            .build());
            assertThat(pool.getCounts().getIdle()).isBetween(pool.getMinIdle(), pool.getMaxIdle());
        });
        await(
                "the cloud has what the pool has",
                () -> addresses(shell) == pool(shell).getCounts().getIdle());
        assertThat(allocations()).as("addresses left in the ranges").isEmpty();
    }

    /** What the ranges' ledger still has: a file for each address. */
    private List<String> allocations() throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("lib/plugin-data/cidr-factory"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("10.64."))
                    .toList();
        }
    }

    private static int addresses(DaemonConnection shell) {
        return shell.inspect(CALL, stub -> stub.listEnis(ListEnisRequest.getDefaultInstance())).getEnisList().stream()
                .mapToInt(Eni::getAddressesCount)
                .sum();
    }

    private static List<Plugin> plugins(DaemonConnection shell) {
        return shell.inspect(CALL, stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()))
                .getPluginsList();
    }

    private static PluginPart factory(DaemonConnection shell, String name) {
        return plugins(shell).stream()
                .flatMap(plugin -> plugin.getFactoriesList().stream())
                .filter(part -> part.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Pool pool(DaemonConnection shell) {
        return shell.inspect(CALL, stub -> stub.getPool(GetPoolRequest.getDefaultInstance()))
                .getPool();
    }

    private static void churn() {
        LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    }

    private static void await(String what, Callable<Boolean> done) {
        Awaitility.await(what)
                .atMost(Duration.ofSeconds(40))
                .pollInterval(Duration.ofMillis(100))
                .until(done);
    }
}
