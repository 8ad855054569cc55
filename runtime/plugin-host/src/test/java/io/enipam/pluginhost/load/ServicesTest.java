package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.extension.Extensions.State;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.Role;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.testkit.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host lends beside the SDK: services, whose types a plugin shares with it. */
class ServicesTest {
    /** The extensions {@code first} and {@code second}, which write down who leads, or that there is no cluster. */
    private static final String ASKING = """
            public List<Extension> extensions() {
                return List.of(extension("first"), extension("second"));
            }
            static Extension extension(String name) {
                return Extension.of(name, Set.of(Role.NODE), host -> {
                    String leader = host.service(io.enipam.sdk.cluster.Cluster.class)
                            .map(cluster -> cluster.leader().orElse("nobody"))
                            .orElse("no cluster");
                    try {
                        java.nio.file.Files.writeString(host.directory().resolve(name), leader);
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                    return new Part() {};
                });
            }
            """;

    @TempDir
    Path temporary;

    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final SystemTime time = new SystemTime();
    private final RecordedEvents events = new RecordedEvents(time);
    private final AtomicInteger opened = new AtomicInteger();
    private PluginInstallation daemon;

    @BeforeEach
    void install() throws Exception {
        daemon = new PluginInstallation(Files.createDirectory(temporary.resolve("plugins")));
    }

    @AfterEach
    void close() {
        daemon.close();
        scheduler.close();
    }

    @Test
    void partsShareAServiceThatIsOpenedWithTheFirstOneThatAsks() throws Exception {
        daemon.add(PluginJar.of("asking").plugin(ASKING));
        BuiltIns offering = builtIns().offering(Cluster.class, this::cluster);
        assertThat(opened).hasValue(0);

        assertThat(answers(offering)).containsExactly("this", "this");

        assertThat(opened).hasValue(1);
    }

    @Test
    void aServiceThatEachPluginHasForItselfIsMadeForThePluginThatAsks() throws Exception {
        daemon.add(PluginJar.of("asking").plugin(ASKING));
        Queue<String> plugins = new ConcurrentLinkedQueue<>();

        assertThat(answers(builtIns().lending(Cluster.class, plugin -> {
                    plugins.add(plugin);
                    return cluster();
                })))
                .containsExactly("this", "this");

        assertThat(plugins).containsExactly("asking", "asking");
    }

    @Test
    void aPluginThatBringsItsOwnCopyOfAServiceGetsTheHosts() throws Exception {
        Path folder = Files.createDirectory(daemon.directory().resolve("asking"));
        PluginJar.of("asking").plugin(ASKING).write(folder);
        PluginJar.library("a-copy")
                .source(
                        "package io.enipam.sdk.cluster; public interface Cluster { java.util.Optional<String> leader(); }")
                .write(folder);

        assertThat(answers(builtIns().offering(Cluster.class, this::cluster))).containsExactly("this", "this");
    }

    @Test
    void whereTheHostHasNoneThereIsNone() throws Exception {
        daemon.add(PluginJar.of("asking").plugin(ASKING));

        assertThat(answers(builtIns())).containsExactly("no cluster", "no cluster");
    }

    private Cluster cluster() {
        opened.incrementAndGet();
        return new FakeCluster();
    }

    private static BuiltIns builtIns() {
        Supplier<PoolPolicy> named = () -> () -> "watermark";
        return new BuiltIns(Map.of("watermark", named), Map.of("eni-ip", () -> {
            throw new IllegalStateException("no factory is opened");
        }));
    }

    private List<String> answers(BuiltIns builtIns) throws Exception {
        daemon.load();
        Path file = Files.writeString(temporary.resolve("enipam.yaml"), "extensions: [first, second]");
        DaemonConfig config = ConfigLoader.load(
                List.of(ConfigFile.usual(file, SettingsFile.ENIPAM_YAML)),
                true,
                Map.of(),
                PluginHost.knownPlugins(daemon.catalog(), builtIns));
        Path data = temporary.resolve("data");
        try (PluginHost host = new PluginHost(
                daemon.catalog(),
                builtIns,
                () -> config,
                PluginStorage.withoutTables(new HostNode("node-1", Role.NODE), data, "a test has no database"),
                time,
                scheduler,
                scheduler,
                events)) {
            host.configureExtensions(config);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(host.extensions().all())
                            .extracting(ExtensionView::state, ExtensionView::cause)
                            .containsOnly(tuple(State.RUNNING, "")));
            return List.of(
                    Files.readString(data.resolve("asking/first")), Files.readString(data.resolve("asking/second")));
        }
    }
}
