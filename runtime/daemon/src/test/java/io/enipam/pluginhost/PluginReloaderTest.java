package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CancelSwapRequest;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.ReloadPluginReply;
import io.enipam.v1.ReloadPluginRequest;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.RunDoctorRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A daemon whose plugin's jar is replaced while it runs. */
class PluginReloaderTest {
    private static final String PARTS = """
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(PoolPolicyProvider.of("%s", context -> () -> "%s"));
            }
            public List<Diagnostic> diagnostics() {
                return List.of(Diagnostic.of("which", "Which jar it is.", List.of(),
                        request -> DiagnosticTable.of("JAR").row("%s")));
            }
            """;
    private static final String FACTORY = """
            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(ResourceFactoryProvider.of("shelf", context -> new Shelf(context.directory(), "%s")));
            }
            """;

    /** Only one instance may be open at once. */
    private static final String SHELF = """
            package plugins.furniture;
            import io.enipam.sdk.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;

            class Shelf extends Board {
                private final Path lock;
                private final String flaw;
                Shelf(Path directory, String flaw) {
                    super(directory.resolve("out"));
                    this.lock = directory.resolve("lock");
                    this.flaw = flaw;
                    if (flaw.equals("opens never")) throw new FactoryException(ErrorKind.UNAVAILABLE, "not today");
                    try {
                        Files.createFile(lock);
                    } catch (IOException e) {
                        throw new FactoryException(ErrorKind.INTERNAL, "another one is open: " + e);
                    }
                }
                public ResourceKind kind() { return flaw.equals("kind") ? new ResourceKind("plank") : super.kind(); }
                public CompletionStage<List<Resource>> list() {
                    if (flaw.equals("hangs")) {
                        System.setProperty("furniture.hangs", "yes");
                        return new CompletableFuture<>();
                    }
                    return flaw.equals("forgets") ? CompletableFuture.completedStage(List.of()) : super.list();
                }
                public void close() { lock.toFile().delete(); }
            }
            """;

    /** A factory around the shelf, of another plugin. */
    private static final String COVER = """
            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(ResourceFactoryProvider.of("cover", context -> {
                    ResourceFactory inner = context.factory("shelf");
                    return new ResourceFactory() {
                        public ResourceKind kind() { return inner.kind(); }
                        public Capabilities capabilities() { return inner.capabilities(); }
                        public List<CompletionStage<CreateResult>> create(List<CreateRequest> some) { return inner.create(some); }
                        public List<CompletionStage<DisposeResult>> dispose(List<Resource> some) { return inner.dispose(some); }
                        public CompletionStage<List<Resource>> list() { return inner.list(); }
                        public void close() { inner.close(); }
                    };
                }));
            }
            """;

    @TempDir
    Path root;

    private Path jar;
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        jar = Files.createDirectories(root.resolve("lib/plugins")).resolve("furniture.jar");
        PluginJar.of("covers").plugin(COVER).writeTo(jar.resolveSibling("covers.jar"));
        replace("1.0.0", PARTS.formatted("steady", "steady", "one") + FACTORY.formatted(""));
        daemon = LivingDaemon.start(root);
    }

    @AfterEach
    void stop() {
        daemon.close();
        System.clearProperty("furniture.hangs");
    }

    /** As an installation does it: a new file takes the name of the old one, which the daemon has open. */
    private void replace(String version, String members) throws Exception {
        Path next = PluginJar.of("furniture")
                .manifest("Plugin-Version", version)
                .plugin(members)
                .source(BoardSource.BOARD)
                .source(SHELF)
                .writeTo(root.resolve("next.jar"));
        Files.move(next, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aReplacedJarIsLoadedAndItsPolicyStaysInForce() throws Exception {
        daemon.swapPolicy("steady");
        assertThat(which()).isEqualTo("one");
        assertThat(replacedOnDisk()).isEmpty();

        replace("1.0.1", PARTS.formatted("steady", "steady", "two"));
        assertThat(replacedOnDisk()).containsExactly("furniture");
        assertThat(which()).isEqualTo("one");
        ReloadPluginReply reply = reload();

        assertThat(reply.getFrom()).isEqualTo("1.0.0");
        assertThat(reply.getTo()).isEqualTo("1.0.1");
        assertThat(which()).isEqualTo("two");
        assertThat(policy()).isEqualTo("steady");
        awaitActive();
        assertThat(plugin().getVersion()).isEqualTo("1.0.1");
        assertThat(plugin().getFactoriesList()).isEmpty();
        assertThat(replacedOnDisk()).isEmpty();
        long before = plugin().getCalls().getMade();
        AtomicInteger pods = new AtomicInteger();
        await("the new policy is asked").atMost(Duration.ofMinutes(1)).until(() -> {
            add("default/pod-" + pods.getAndIncrement());
            return plugin().getCalls().getMade() > before;
        });
    }

    /** An answer that a busy machine held up for longer than a policy has leaves it degraded for a moment. */
    private void awaitActive() {
        await().atMost(Duration.ofMinutes(1)).until(() -> plugin().getState().equals("ACTIVE"));
    }

    @Test
    void aJarWithoutThePolicyInForceIsRefused() throws Exception {
        daemon.swapPolicy("steady");
        replace("1.0.1", PARTS.formatted("hasty", "hasty", "two"));

        assertThatThrownBy(this::reload)
                .hasMessageContaining("policy steady is in force, and the new one does not bring it");
        assertThat(which()).isEqualTo("one");

        daemon.swapPolicy("watermark");
        assertThat(reload().getTo()).isEqualTo("1.0.1");
        daemon.swapPolicy("hasty");
        assertThat(policy()).isEqualTo("hasty");
    }

    @Test
    void aPolicyThatCannotBeOpenedLeavesTheFormerOne() throws Exception {
        daemon.swapPolicy("steady");
        replace("1.0.1", """
                public List<PoolPolicyProvider> poolPolicies() {
                    return List.of(PoolPolicyProvider.of("steady", context -> {
                        throw new IllegalStateException("not today");
                    }));
                }
                """);

        assertThatThrownBy(this::reload).hasMessageContaining("not today");

        assertThat(policy()).isEqualTo("steady");
        assertThat(which()).isEqualTo("one");
        awaitActive();
        add("default/a");
    }

    @Test
    void aBrokenJarIsRefusedAndAGoodOneAfterItIsNot() throws Exception {
        replace("1.0.1", "public Plugin() { throw new IllegalStateException(\"not today\"); }");
        assertThatThrownBy(this::reload).hasMessageContaining("not today");
        assertThat(which()).isEqualTo("one");

        daemon.close();
        daemon = LivingDaemon.start(root);
        assertThat(plugin().getState()).isEqualTo("FAILED");
        replace("1.0.2", PARTS.formatted("steady", "steady", "three"));

        assertThat(reload().getFrom()).isEmpty();
        assertThat(which()).isEqualTo("three");
        assertThat(plugin().getState()).isEqualTo("LOADED");
    }

    @Test
    void aFactoryInUseGoesOnWithTheNewCodeWhilePodsComeAndGo() throws Exception {
        daemon.swapFactory("shelf");
        add("default/stays");
        String address = address("default/stays");
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger done = new AtomicInteger();
        CompletableFuture<Void> traffic = CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; !over.get(); i++) {
                        add("default/guest-" + i);
                        del("default/guest-" + i);
                        done.incrementAndGet();
                    }
                },
                task -> new Thread(task).start());
        for (int version = 1; version <= 3; version++) {
            replace("1.0." + version, PARTS.formatted("steady", "steady", "two") + FACTORY.formatted(""));
            assertThat(reload().getTo()).isEqualTo("1.0." + version);
            int before = done.get();
            await().atMost(Duration.ofMinutes(1)).until(() -> traffic.isDone() || done.get() > before);
        }
        over.set(true);
        traffic.get(1, TimeUnit.MINUTES);

        assertThat(which()).isEqualTo("two");
        assertThat(address("default/stays")).isEqualTo(address);
        assertThat(plugin().getFactories(0).getState()).isEqualTo("ACTIVE");
        assertThat(plugin().getFactories(0).getLeases()).isEqualTo(1);
        awaitActive();
        restart();
        assertThat(address("default/stays")).isEqualTo(address);
        add("default/later");
    }

    @ParameterizedTest
    @CsvSource({
        "forgets, its factory shelf does not list 1 of the addresses that pods have: 10.8.0.",
        "opens never, not today",
        "kind, 'factory shelf is another one now: it makes plank, and made board'"
    })
    void aFactoryThatCannotTakeOverLeavesTheFormerOne(String flaw, String why) throws Exception {
        daemon.swapFactory("shelf");
        add("default/a");
        replace("1.0.1", PARTS.formatted("steady", "steady", "two") + FACTORY.formatted(flaw));

        assertThatThrownBy(this::reload).hasMessageContaining(why).hasMessageContaining("is not loaded anew");

        assertThat(which()).isEqualTo("one");
        awaitActive();
        assertThat(plugin().getFactories(0).getLeases()).isEqualTo(1);
        add("default/b");
        replace("1.0.2", PARTS.formatted("steady", "steady", "three") + FACTORY.formatted(""));
        assertThat(reload().getTo()).isEqualTo("1.0.2");
        assertThat(plugin().getFactories(0).getLeases()).isEqualTo(2);
    }

    @Test
    void aJarWithoutTheFactoryInUseIsRefused() throws Exception {
        daemon.swapFactory("shelf");
        replace("1.0.1", PARTS.formatted("steady", "steady", "two"));

        assertThatThrownBy(this::reload)
                .hasMessageContaining("its factory shelf is in use, and the new one does not bring it");

        assertThat(which()).isEqualTo("one");
        add("default/b");
    }

    @Test
    void aFactoryBehindAnotherOneIsReplacedAndHasToListWhatThatHasLent() throws Exception {
        daemon.swapFactory("cover");
        add("default/a");
        replace("1.0.1", PARTS.formatted("steady", "steady", "two") + FACTORY.formatted("forgets"));
        assertThatThrownBy(this::reload).hasMessageContaining("does not list 1 of the addresses that pods have");
        assertThat(which()).isEqualTo("one");

        replace("1.0.2", PARTS.formatted("steady", "steady", "three") + FACTORY.formatted(""));
        assertThat(reload().getTo()).isEqualTo("1.0.2");

        assertThat(which()).isEqualTo("three");
        add("default/b");
        del("default/a");
    }

    @Test
    void aReloadThatHangsIsCancelledAndTheFormerFactoryGoesOn() throws Exception {
        daemon.swapFactory("shelf");
        add("default/a");
        replace("1.0.1", PARTS.formatted("steady", "steady", "two") + FACTORY.formatted("hangs"));
        CompletableFuture<Void> hanging = CompletableFuture.runAsync(this::reload, task -> new Thread(task).start());
        await().atMost(Duration.ofMinutes(1)).until(() -> System.getProperty("furniture.hangs") != null);

        assertThat(daemon.client()
                        .control()
                        .cancelSwap(CancelSwapRequest.getDefaultInstance())
                        .getCancelled())
                .isEqualTo("plugin furniture");

        assertThatThrownBy(() -> hanging.get(1, TimeUnit.MINUTES)).hasMessageContaining("it was cancelled");
        assertThat(which()).isEqualTo("one");
        add("default/b");
        del("default/a");
    }

    @Test
    void anIdThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> reload("absent"))
                .hasMessageContaining("no plugin of this id is where plugins are looked for");
        assertThatThrownBy(() -> reload("../../etc")).hasMessageContaining("no plugin of this id");
    }

    private ReloadPluginReply reload() {
        return reload("furniture");
    }

    private ReloadPluginReply reload(String id) {
        return daemon.client()
                .control()
                .reloadPlugin(ReloadPluginRequest.newBuilder().setId(id).build());
    }

    private String which() {
        return daemon.client()
                .inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("furniture")
                        .setName("which")
                        .build())
                .getRows(0)
                .getCells(0);
    }

    private List<String> replacedOnDisk() {
        return daemon
                .client()
                .inspect()
                .runDoctor(RunDoctorRequest.newBuilder()
                        .addChecks("plugin-replaced")
                        .build())
                .getFindingsList()
                .stream()
                .map(DoctorFinding::getEvidenceList)
                .flatMap(List::stream)
                .map(evidence -> evidence.getSubject())
                .toList();
    }

    private String policy() {
        return daemon.client().pool().getPolicy();
    }

    private Plugin plugin() {
        return daemon.client().plugin("furniture");
    }

    private void restart() {
        daemon.close();
        daemon = LivingDaemon.start(root);
    }

    private void del(String pod) {
        daemon.client().del(pod);
    }

    private String address(String pod) {
        List<String> addresses = new ArrayList<>();
        daemon.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(part -> part.getLeasesList().stream()
                        .filter(lease -> lease.getPod().equals(pod))
                        .forEach(lease -> addresses.add(lease.getResource().getAddresses(0))));
        assertThat(addresses).hasSize(1);
        return addresses.get(0);
    }

    private void add(String pod) {
        daemon.client().add(pod);
    }
}
