package io.enipam.daemon.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.sdk.Family;
import io.enipam.sdk.ResourceState;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One seed of the campaign: a node, its cloud, eight threads of a kubelet, faults on every call, and two crashes. */
final class Campaign {
    /** Seconds of the node's in one of ours. */
    static final int HASTE = 20;

    private static final int THREADS = 8;
    private static final int TURNS = 60;
    private static final Duration SETTLED = Duration.ofSeconds(60);
    private static final EngineConfig KNOBS = new EngineConfig(
            new Watermarks(1, 2, Integer.MAX_VALUE),
            Set.of(Family.IPV4),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            new EngineConfig.Intervals(Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofSeconds(20)));

    private final long seed;
    private final Path directory;
    private final CloudEmulator emulator;
    private final MemoryPods pods = new MemoryPods();
    private final Ledger ledger = new Ledger();
    private final Story story = new Story();
    private final AtomicInteger turns = new AtomicInteger();
    private volatile Life life;

    private Campaign(long seed, Path directory) {
        this.seed = seed;
        this.directory = directory;
        this.emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withInstanceTypes("ecs.c6.xlarge")
                .withVswitches(Map.of("vsw-a", "10.0.0.0/26", "vsw-b", "10.0.1.0/26"))
                .withSeed(seed));
        this.life = newLife(0);
        Mischief.begin(emulator, seed);
    }

    /**
     * What one seed came to.
     *
     * @param faults how many calls went wrong
     * @param calls how many there were
     * @param adds ADDs that gave an address
     * @param refused ADDs that gave a code
     */
    record Outcome(long faults, long calls, long adds, long refused) {
        static final Outcome NONE = new Outcome(0, 0, 0, 0);

        Outcome plus(Outcome other) {
            return new Outcome(faults + other.faults, calls + other.calls, adds + other.adds, refused + other.refused);
        }
    }

    /** Runs a seed; throws what went wrong, with what happened before. */
    static Outcome run(long seed, Path directory) {
        Campaign campaign = new Campaign(seed, directory);
        try {
            return campaign.run();
        } catch (RuntimeException | Error wrong) {
            throw new AssertionError(
                    "seed " + seed + ": " + wrong.getMessage()
                            + campaign.story.about(String.valueOf(wrong.getMessage())) + campaign.enis() + threads(),
                    wrong);
        } finally {
            campaign.life.end();
            campaign.emulator.close();
        }
    }

    /** What the node and the cloud say of the ENIs, and what the node has begun and not ended. */
    private String enis() {
        String node = life.enis().stream().map(eni -> "\n  node: " + eni).collect(Collectors.joining());
        String cloud = emulator.snapshot().enis().stream()
                .map(eni -> "\n  cloud: " + eni)
                .collect(Collectors.joining());
        return node + cloud + "\n  open: " + life.openOperations();
    }

    /** What the threads of all nodes do now: who hangs, hangs here. */
    private static String threads() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> Stream.of(entry.getValue())
                        .anyMatch(frame -> frame.getClassName().startsWith("io.enipam")))
                .map(entry -> "\n  " + entry.getKey().getName() + " "
                        + Stream.of(entry.getValue())
                                .limit(20)
                                .map(Object::toString)
                                .toList())
                .collect(Collectors.joining());
    }

    private Life newLife(int number) {
        Life next = Life.begin(
                number,
                new HastyTime(HASTE),
                directory,
                client(),
                KNOBS,
                pods,
                story.of("life " + number),
                seed + number);
        next.engine
                .start()
                .whenComplete((done, failure) -> story.tell("life " + number + " serves: " + (failure == null)));
        return next;
    }

    private AliyunConfig client() {
        return new AliyunConfig(
                new CredentialsConfig.Fixed("testid", "testsecret"),
                CallConfig.USUAL,
                Optional.of(uri(emulator.address())),
                uri(emulator.metadataAddress()),
                EniConfig.defaults()
                        .withVSwitches(Map.of("cn-hangzhou-i", List.of("vsw-a", "vsw-b")), VSwitchPolicy.ORDERED));
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    private Outcome run() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<CompletableFuture<Void>> kubelets = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Kubelet kubelet = new Kubelet(i, seed, () -> life, ledger, pods, story, this::nextTurn);
                kubelets.add(CompletableFuture.runAsync(kubelet, threads));
            }
            kubelets.forEach(CompletableFuture::join);
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error wrong) {
                throw wrong;
            }
            throw e;
        } finally {
            threads.shutdownNow();
        }
        story.tell("the cloud calms down");
        long faults = Mischief.end(emulator);
        await().atMost(SETTLED).pollInterval(50, TimeUnit.MILLISECONDS).untilAsserted(this::theBooksAgree);
        long calls = emulator.snapshot().calls().values().stream()
                .mapToLong(Long::longValue)
                .sum();
        return new Outcome(faults, calls, ledger.acknowledged(), ledger.refused());
    }

    /** The turns are counted for all threads together; at two of them the daemon dies. */
    private int nextTurn() {
        int turn = turns.incrementAndGet();
        if (turn == TURNS / 3 || turn == 2 * TURNS / 3) {
            crash(turn);
        }
        return turn <= TURNS ? turn : 0;
    }

    /** One at a time: a process has to be there before it can die. */
    private synchronized void crash(int turn) {
        story.tell("crash at turn " + turn);
        life.crash();
        life = newLife(turn);
    }

    private void theBooksAgree() {
        Map<OwnerKey, String> leases = new TreeMap<>();
        life.engine
                .leases()
                .forEach(lease -> leases.put(
                        lease.owner(), lease.resource().addresses().get(0).host()));
        assertThat(leases).as("leases").isEqualTo(ledger.lent());

        PoolView pool = life.engine.pool();
        assertThat(pool.summary().count(ResourceState.CREATING)).as("creating").isZero();
        assertThat(pool.summary().count(ResourceState.DISPOSING))
                .as("disposing")
                .isZero();
        Set<String> pooled = pool.entries().stream()
                .map(entry -> entry.resource().addresses().get(0).host())
                .collect(Collectors.toCollection(TreeSet::new));
        CloudSnapshot books = emulator.snapshot();
        Set<String> clouds = new TreeSet<>();
        for (EniEntry eni : books.enis()) {
            if (!eni.primary()) {
                assertThat(eni.status()).as("status of %s", eni.id()).isEqualTo("InUse");
                clouds.addAll(eni.addresses().privateIps());
            }
        }
        assertThat(pooled).as("addresses of the pool, and of the cloud").isEqualTo(clouds);
        assertThat(life.openOperations()).as("open operations").isEmpty();
    }
}
