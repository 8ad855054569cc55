package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginPart;
import io.enipam.v1.Pool;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps on a daemon with the real engine and database, and what a restart makes of them. */
class PluginSwapperTest {
    private static final String PLUGIN = """
            private static final Setting<String> PLACE =
                    Setting.text("place", "a letter", "[a-z]?", "").doc("Where it is; empty for nowhere.");

            public List<Setting<?>> settings() { return List.of(PLACE); }

            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(new PoolPolicyProvider() {
                    public String name() { return "steady"; }
                    public PoolPolicy open(PluginContext context) {
                        return () -> "steady";
                    }
                });
            }

            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(new ResourceFactoryProvider() {
                    public String name() { return "shelf"; }
                    public ResourceFactory open(PluginContext context) {
                        if (context.settings().get(PLACE).isEmpty()) {
                            throw new FactoryException(ErrorKind.MISCONFIGURED, "place is empty: set plugins.furniture.place");
                        }
                        return new Board(context.directory());
                    }
                }, ResourceFactoryProvider.of("bare", context -> new Board(context.directory()) {
                    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                        CreateResult none = Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "nothing is on it");
                        return Collections.nCopies(requests.size(), CompletableFuture.completedStage(none));
                    }
                }));
            }
            """;

    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        PluginJar jar = PluginJar.of("furniture").plugin(PLUGIN);
        jar.source(BoardSource.BOARD).write(Files.createDirectories(root.resolve("lib/plugins/furniture")));
        configure("plugins: {furniture: {place: a}}");
        daemon = LivingDaemon.start(root);
    }

    @Test
    void aSwapIsInForceAfterARestartAndTheOldFactoryGoesOnDraining() {
        add("default/old");
        daemon.swapPolicy("steady");
        daemon.swapFactory("shelf");
        add("default/new");

        restart();

        assertThat(pool().getPolicy()).isEqualTo("steady");
        assertThat(pool().getKind()).isEqualTo("board");
        assertThat(factory("shelf").getState()).isEqualTo("ACTIVE");
        assertThat(factory("shelf").getLeases()).isEqualTo(1);
        del("default/new");
        await().atMost(Duration.ofMinutes(1)).until(() -> plugin().getState().equals("ACTIVE"));
    }

    @Test
    void aConfigurationChangedAfterTheSwapWins() throws IOException {
        daemon.swapPolicy("steady");
        configure("{pool: {policy: watermark, min_idle: 1}, plugins: {furniture: {place: a}}}");
        restart();
        assertThat(pool().getPolicy())
                .as("the configuration named this one before")
                .isEqualTo("steady");

        daemon.swapPolicy("watermark");
        configure("{pool: {policy: steady}, plugins: {furniture: {place: a}}}");
        restart();

        assertThat(pool().getPolicy()).isEqualTo("steady");
    }

    @Test
    void whatCannotBeWrittenDownIsNotDone() throws IOException {
        Path inTheWay = Files.createDirectories(root.resolve("lib/selection.json.new"));

        assertThatThrownBy(() -> daemon.swapPolicy("steady")).hasMessageContaining("cannot be written down");
        assertThatThrownBy(() -> daemon.swapFactory("shelf")).hasMessageContaining("cannot be written down");

        assertThat(pool().getPolicy()).isEqualTo("watermark");
        assertThat(factory("eni-ip").getState()).isEqualTo("ACTIVE");
        assertThat(factory("shelf").getState()).isEqualTo("CLOSED");
        Files.delete(inTheWay);
        daemon.swapPolicy("steady");
        daemon.swapFactory("shelf");
        assertThat(pool().getKind()).isEqualTo("board");
    }

    @Test
    void aDryRunOpensAndChangesNothing() throws IOException {
        add("default/a");
        SwapFactoryReply would = daemon.client()
                .control()
                .swapFactory(SwapFactoryRequest.newBuilder()
                        .setName("shelf")
                        .setDryRun(true)
                        .build());
        assertThat(would.getTo()).isEqualTo("shelf");
        assertThat(would.getLeavingLeases())
                .as("what would have to be given back")
                .isEqualTo(1);
        assertThat(would.getLeavingResources()).isGreaterThan(1);
        daemon.client()
                .control()
                .swapPolicy(SwapPolicyRequest.newBuilder()
                        .setName("steady")
                        .setDryRun(true)
                        .build());

        assertThat(pool().getPolicy()).isEqualTo("watermark");
        assertThat(factory("shelf").getState()).isEqualTo("CLOSED");
        assertThat(plugin().getState()).isEqualTo("LOADED");
        assertThat(Files.readString(root.resolve("lib/audit.log")))
                .contains("\"command\":\"SwapFactory\"", "\"name\":\"shelf\"", "\"dryRun\":true");
    }

    @Test
    void lookingAtThePolicyInForceOrFailingToSwapItLeavesItInForce() throws IOException {
        daemon.swapPolicy("steady");
        daemon.client()
                .control()
                .swapPolicy(SwapPolicyRequest.newBuilder()
                        .setName("steady")
                        .setDryRun(true)
                        .build());
        Path inTheWay = Files.createDirectories(root.resolve("lib/selection.json.new"));
        assertThatThrownBy(() -> daemon.swapPolicy("steady")).hasMessageContaining("cannot be written down");
        Files.delete(inTheWay);
        AtomicInteger pods = new AtomicInteger();

        // on a busy machine a single answer may come too late: the policy in force is asked again at the next ADD
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(500))
                .untilAsserted(() -> {
                    PluginCalls before = plugin().getCalls();
                    add("default/pod-" + pods.getAndIncrement());

                    assertThat(plugin().getState()).isEqualTo("ACTIVE");
                    PluginCalls after = plugin().getCalls();
                    assertThat(after.getMade()).as("the policy is asked").isGreaterThan(before.getMade());
                    assertThat(after.getSkipped()).isEqualTo(before.getSkipped());
                });
    }

    @Test
    void aFactoryOfAPluginThatMakesNothingIsNoTroubleOfTheCloud() {
        assertThatThrownBy(() -> daemon.swapFactory("bare"))
                .as("PLUGIN_FAILED, where the cloud's would be UNAVAILABLE")
                .hasMessageStartingWith("FAILED_PRECONDITION")
                .hasMessageContaining("factory bare makes nothing: nothing is on it");
    }

    @Test
    void aNameNobodyOffersIsToldWhatThereIs() {
        assertThatThrownBy(() -> daemon.swapPolicy("stedy")).hasMessageContaining("there is no policy 'stedy'");
        assertThatThrownBy(() -> daemon.swapFactory("eni-ip")).hasMessageContaining("already");
    }

    @Test
    void aPluginThatIsMisconfiguredIsFailedWithTheReasonUntilItOpens() throws IOException {
        configure("plugins: {furniture: {}}");
        restart();

        assertThatThrownBy(() -> daemon.swapFactory("shelf")).hasMessageContaining("set plugins.furniture.place");
        assertThat(plugin().getState()).isEqualTo("FAILED");
        assertThat(plugin().getCause()).contains("set plugins.furniture.place");
        add("default/a");

        configure("plugins: {furniture: {place: b}}");
        restart();
        daemon.swapFactory("shelf");
        assertThat(plugin().getState()).isEqualTo("ACTIVE");
    }

    @Test
    void aDaemonWhosePluginIsGoneServesByTheBuiltInPolicyAndSaysSo() throws IOException {
        daemon.swapPolicy("steady");
        daemon.close();
        try (var jars = Files.list(root.resolve("lib/plugins/furniture"))) {
            for (Path jar : jars.toList()) {
                Files.delete(jar);
            }
        }
        configure("");

        daemon = LivingDaemon.start(root);

        assertThat(pool().getPolicy()).isEqualTo("watermark");
        add("default/a");
    }

    private void restart() {
        daemon.close();
        daemon = LivingDaemon.start(root);
    }

    private void configure(String yaml) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), yaml);
    }

    private void add(String pod) {
        daemon.client().add(pod);
    }

    private void del(String pod) {
        daemon.client().del(pod);
    }

    private Pool pool() {
        return daemon.client().pool();
    }

    private Plugin plugin() {
        return daemon.client().plugin("furniture");
    }

    private PluginPart factory(String name) {
        List<Plugin> all = daemon.client()
                .inspect()
                .listPlugins(ListPluginsRequest.getDefaultInstance())
                .getPluginsList();
        return all.stream()
                .flatMap(plugin -> plugin.getFactoriesList().stream())
                .filter(part -> part.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
