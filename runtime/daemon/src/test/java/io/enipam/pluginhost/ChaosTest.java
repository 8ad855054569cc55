package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.NodeWithCidr;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginPart;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A daemon with the worst plugin there is. It does what the file {@code mode} in its directory says: hang, loop, throw, answer
 * nonsense, start threads, end the JVM. Pods come and go all the same.
 */
class ChaosTest {
    /** What an ADD takes at most beside a plugin that is late, as a rule: the deadline of a policy's call is 50 ms. */
    private static final Duration SOON = Duration.ofSeconds(3);

    private static final String CHAOS = """
            private static PluginContext context;
            private static String mode() {
                try {
                    return java.nio.file.Files.readString(context.directory().resolve("mode")).strip();
                } catch (java.io.IOException e) {
                    return "good";
                }
            }
            private static void wreak() {
                switch (mode()) {
                    case "hang" -> { while (mode().equals("hang")) { try { Thread.sleep(20); } catch (InterruptedException e) { } } }
                    case "loop" -> { while (true) { Thread.onSpinWait(); if (!mode().equals("loop")) return; } }
                    case "error" -> throw new AssertionError("chaos");
                    case "linkage" -> throw new NoSuchMethodError("chaos");
                    case "deep" -> wreak2();
                    case "memory" -> throw new OutOfMemoryError("chaos");
                    case "exit" -> System.exit(3);
                    case "halt" -> Runtime.getRuntime().halt(3);
                    case "pool" -> block();
                    case "threads" -> new Thread(() -> { try { Thread.sleep(600_000); } catch (InterruptedException e) { } }).start();
                    default -> { }
                }
            }
            private static void wreak2() { wreak2(); }
            private static final java.util.concurrent.atomic.AtomicBoolean BLOCKED = new java.util.concurrent.atomic.AtomicBoolean();
            private static void block() {
                for (int i = java.util.concurrent.ForkJoinPool.getCommonPoolParallelism(); i > 0 && !BLOCKED.get(); i--) {
                    java.util.concurrent.ForkJoinPool.commonPool().execute(() -> {
                        try {
                            java.nio.file.Files.createTempFile(context.directory(), "blocked-", "");
                            while (mode().equals("pool")) Thread.sleep(20);
                        } catch (java.io.IOException | InterruptedException e) { throw new IllegalStateException(e); }
                    });
                }
                BLOCKED.set(true);
            }

            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(new PoolPolicyProvider() {
                    public String name() { return "chaos"; }
                    public PoolPolicy open(PluginContext c) {
                        context = c;
                        return new PoolPolicy() {
                            public String name() { return "chaos"; }
                            public Pick pick(PoolSnapshot pool, PodRef pod) {
                                wreak();
                                if (mode().equals("null")) return null;
                                if (mode().equals("nonsense")) return Pick.chosen(new ResourceId("who/knows"));
                                return Pick.longestIdle();
                            }
                            public Target target(PoolSnapshot pool) {
                                wreak();
                                if (mode().equals("null")) return null;
                                if (mode().equals("nonsense")) return new Target(0, Integer.MAX_VALUE, List.of(new ResourceId("who/knows")));
                                return Target.between(pool.minIdle(), pool.maxIdle());
                            }
                            public Duration release(PoolSnapshot pool, Resource released, Duration configured) {
                                wreak();
                                return mode().equals("nonsense") ? Duration.ofDays(-1) : configured;
                            }
                        };
                    }
                });
            }

            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(new ResourceFactoryProvider() {
                    public String name() { return "chaotic"; }
                    public ResourceFactory open(PluginContext c) {
                        context = c;
                        return new ResourceFactory() {
                            private final Map<ResourceId, Resource> made = new ConcurrentHashMap<>();
                            private final java.util.concurrent.atomic.AtomicInteger next = new java.util.concurrent.atomic.AtomicInteger();
                            public ResourceKind kind() { return new ResourceKind("chaotic"); }
                            public Capabilities capabilities() {
                                wreak();
                                return new Capabilities(Set.of(Family.IPV4), 20, 1, false);
                            }
                            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                                wreak();
                                if (mode().equals("null")) return null;
                                List<CompletionStage<CreateResult>> stages = new ArrayList<>();
                                for (CreateRequest request : requests) stages.add(CompletableFuture.completedStage(one()));
                                return stages;
                            }
                            private CreateResult one() {
                                String host = mode().equals("foreign") ? "10.0.0.2" : "10.9.0." + next.incrementAndGet();
                                String id = mode().equals("foreign") ? "eni-fake/10.0.0.2" : "chaos/" + host;
                                Resource resource = new Resource(new ResourceId(id), kind(), List.of(Address.parse(host + "/24")), "", Map.of());
                                made.put(resource.id(), resource);
                                return new Created(resource);
                            }
                            public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                                wreak();
                                List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
                                for (Resource resource : resources) {
                                    made.remove(resource.id());
                                    stages.add(CompletableFuture.completedStage(new Disposed(resource.id())));
                                }
                                return stages;
                            }
                            public CompletionStage<List<Resource>> list() {
                                wreak();
                                return CompletableFuture.completedStage(List.copyOf(made.values()));
                            }
                        };
                    }
                });
            }

            public List<Diagnostic> diagnostics() {
                return List.of(new Diagnostic() {
                    public String name() { return "mood"; }
                    public String summary() { return "What it is up to."; }
                    public DiagnosticTable run(DiagnosticRequest request) {
                        if (mode().equals("error")) throw new AssertionError("chaos");
                        return DiagnosticTable.of("MODE").row(mode());
                    }
                });
            }
            """;

    /** A mad plugin's threads outlive its daemon and may write once more: the directory goes when they have ended. */
    @TempDir(cleanup = CleanupMode.NEVER)
    Path root;

    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        Path plugins = Files.createDirectories(root.resolve("lib/plugins/worst"));
        PluginJar.of("worst").plugin(CHAOS).write(plugins);
        mode("good");
        daemon = LivingDaemon.start(root);
    }

    @AfterEach
    void stop() throws IOException {
        mode("good");
        daemon.close();
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            MoreFiles.deleteRecursively(root, RecursiveDeleteOption.ALLOW_INSECURE);
            return !Files.exists(root);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "loop", "error", "linkage", "deep", "memory", "null", "nonsense", "exit", "halt"})
    void aPolicyThatGoesMadNeitherFailsNorHoldsUpAnAdd(String mode) throws IOException {
        daemon.swapPolicy("chaos");
        add("default/before");
        mode(mode);

        List<Duration> adds = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            adds.add(timed("default/p" + i));
            del("default/p" + i);
        }
        assertThat(median(adds))
                .as("ADDs of a policy that would %s: %s", mode, adds)
                .isLessThan(SOON);

        Plugin chaos = plugin();
        assertThat(chaos.getState()).isEqualTo("DEGRADED");
        assertThat(chaos.getCause()).isNotEmpty();
        assertThat(chaos.getCalls().getMade()).isPositive();
        if (mode.equals("exit") || mode.equals("halt")) {
            assertThat(chaos.getCalls().getExitsStopped()).isPositive();
        }
        del("default/before");
        assertThat(daemon.client().pool().getPolicy()).isEqualTo("chaos");
    }

    @Test
    void aPolicyThatComesToItsSensesIsAskedAgain() throws IOException {
        daemon.swapPolicy("chaos");
        mode("loop");
        add("default/a");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(plugin().getState()).isEqualTo("DEGRADED");
            assertThat(plugin().getCalls().getOverdue()).isPositive();
        });

        mode("good");

        await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
            add("default/b");
            del("default/b");
            assertThat(plugin().getState()).isEqualTo("ACTIVE");
        });
        assertThat(plugin().getCalls().getOverdue()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "loop", "error", "null", "exit"})
    void aFactoryThatGoesMadWhileItLeavesDoesNotHoldUpAnotherFactorysAdds(String mode) throws IOException {
        daemon.swapFactory("chaotic");
        add("default/old");
        mode(mode);
        // what is idle of its goes back: dispose does its worst from here on
        daemon.swapFactory("eni-ip");
        del("default/old");

        List<Duration> adds = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            adds.add(timed("default/p" + i));
        }
        assertThat(median(adds))
                .as("ADDs beside a factory that would %s: %s", mode, adds)
                .isLessThan(SOON);

        assertThat(factory("eni-ip").getState()).isEqualTo("ACTIVE");
        assertThat(factory("chaotic").getState()).isIn("LEAVING", "CLOSED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "error", "null", "foreign", "exit"})
    void aFactoryThatIsMadNeverTakesOverAndNothingIsChanged(String mode) throws IOException {
        add("default/a");
        mode(mode);

        assertThatThrownBy(() -> daemon.swapFactory("chaotic")).hasMessageContaining("chaotic");

        assertThat(factory("eni-ip").getState()).isEqualTo("ACTIVE");
        add("default/b");
        del("default/a");
    }

    @Test
    void aPluginThatBlocksTheCommonPoolOfTheJdkHoldsUpNoRequestToTheApiServer() throws IOException {
        daemon.close();
        try (NodeWithCidr node = new NodeWithCidr()) {
            node.pod("web-0", Map.of());
            Files.createDirectories(root.resolve("etc/enipam"));
            Files.writeString(
                    root.resolve("etc/enipam/enipam.yaml"),
                    node.yaml(root).replace("daemon: {mode: VPC}", "allocation: {timeout: 60s}"));
            daemon = LivingDaemon.start(root);
            daemon.swapPolicy("chaos");
            mode("pool");
            // on a busy machine the policy may have been late before, and is not asked for a while
            await().atMost(Duration.ofSeconds(120)).until(() -> {
                add("default/web-0");
                del("default/web-0");
                return blocked() >= ForkJoinPool.getCommonPoolParallelism();
            });

            // an API server that does not answer in time is taken for one that is away, and then this ADD succeeds
            assertThatThrownBy(() -> add("default/nobody")).hasMessageContaining("pod default/nobody does not exist");

            mode("good");
            daemon.close();
        }
    }

    private long blocked() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("lib/plugin-data/worst"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("blocked-"))
                    .count();
        }
    }

    @Test
    void threadsThatOutliveTheirFactoryAreCounted() throws IOException {
        mode("threads");
        daemon.swapFactory("chaotic");
        mode("good");
        daemon.swapFactory("eni-ip");

        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(factory("chaotic").getState()).isEqualTo("CLOSED");
            assertThat(plugin().getCalls().getLeakedThreads()).isPositive();
        });
    }

    @Test
    void aDiagnosticIsRunForAPersonAndItsFailureIsTheirs() throws IOException {
        daemon.swapPolicy("chaos");
        assertThat(diagnose().getRowsList()).hasSize(1);
        mode("error");

        assertThatThrownBy(this::diagnose).hasMessageContaining("diagnostic mood of plugin worst failed");
    }

    private RunDiagnosticReply diagnose() {
        return daemon.client()
                .inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("worst")
                        .setName("mood")
                        .build());
    }

    private void mode(String mode) throws IOException {
        Path data = Files.createDirectories(root.resolve("lib/plugin-data/worst"));
        Path next = Files.writeString(data.resolve("mode.new"), mode);
        Files.move(next, data.resolve("mode"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Duration timed(String pod) {
        long begun = System.nanoTime();
        add(pod);
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** One that a busy machine held up says nothing about a plugin; half of them does. */
    private static Duration median(List<Duration> adds) {
        return adds.stream().sorted().skip(adds.size() / 2).findFirst().orElseThrow();
    }

    private void add(String pod) {
        daemon.client().add(pod);
    }

    private void del(String pod) {
        daemon.client().del(pod);
    }

    private Plugin plugin() {
        return daemon.client().plugin("worst");
    }

    private PluginPart factory(String name) {
        return daemon.client().inspect().listPlugins(ListPluginsRequest.getDefaultInstance()).getPluginsList().stream()
                .flatMap(plugin -> plugin.getFactoriesList().stream())
                .filter(part -> part.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
