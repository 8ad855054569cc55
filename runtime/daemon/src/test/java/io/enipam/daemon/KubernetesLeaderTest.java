package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.GetStatusReply;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two daemons of role CLUSTER as processes of their own, of which one leads by a Lease of the API server: the leader is stopped with
 * SIGSTOP beyond its lease, goes on, and is killed. Each writes its name to one object without end, as long as it may.
 */
class KubernetesLeaderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String PLUGIN = """
            package stamps;

            import io.enipam.sdk.*;
            import io.enipam.sdk.cluster.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.CompletionStage;

            public class Plugin implements IpamPlugin {
                public List<Extension> extensions() {
                    return List.of(Extension.of("stamps", Set.of(Role.CLUSTER), Stamps::new));
                }
            }

            final class Stamps implements Controller {
                private static final ObjectRef WRITTEN =
                        new ObjectRef(ObjectKind.ofNamespaces("", "v1", "ConfigMap", "configmaps"), "default", "written");
                private final Host host;
                private final Cluster cluster;

                Stamps(Host host) {
                    this.host = host;
                    this.cluster = host.service(Cluster.class).orElseThrow();
                }

                public List<Source> watches() {
                    return List.of(new Source() {
                        public String name() { return "keys"; }
                        public AutoCloseable open(Sink sink) {
                            sink.changed("stamp");
                            sink.synced();
                            return () -> {};
                        }
                    });
                }

                public Next reconcile(String key, Transaction tx) {
                    tx.effect("stamp", "stamp", "");
                    return Next.again(Duration.ofMillis(100), "the next one is due");
                }

                public CompletionStage<EffectResult> perform(Effect effect) {
                    Map<String, String> stamp = Map.of("by", host.node().name(), "at", "" + System.nanoTime());
                    return cluster.get(WRITTEN)
                            .thenCompose(now -> cluster.patch(
                                    WRITTEN, Patch.merge(Map.of("data", stamp)).ifUnchanged(now.value().orElseThrow())))
                            .handle((reply, failure) -> EffectResult.performed());
                }
            }
            """;

    @TempDir
    Path directory;

    private final FakeApiServer server = new FakeApiServer();
    private final List<Process> processes = new ArrayList<>();
    /** Who has written, in the order of the writes. */
    private final List<String> writers = new CopyOnWriteArrayList<>();

    private Path plugins;

    @BeforeEach
    void write() throws IOException {
        plugins = Files.createDirectory(directory.resolve("plugins"));
        PluginJar.of("stamps").source(PLUGIN).service("stamps.Plugin").write(plugins);
        server.client().resource(written()).create();
    }

    private static ConfigMap written() {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("written")
                .endMetadata()
                .withData(Map.of("by", "test"))
                .build();
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        server.close();
    }

    @Test
    void aLeaderThatIsStoppedOrKilledIsSucceededAndWritesNothingWhenItGoesOn() throws Exception {
        try (Watch watch = server.client().resource(written()).watch(new Recorder())) {
            Process first = daemon("one");
            try (SocketClient one = client("one")) {
                await().atMost(PATIENCE).until(() -> status(one).getLeads());
                daemon("two");
                try (SocketClient two = client("two")) {
                    await().atMost(PATIENCE).until(() -> status(two).getLeader().startsWith("one_"));
                    awaitWrites("one");
                    assertThat(status(two).getLeads()).isFalse();

                    signal("-STOP", first);
                    awaitWrites("two");
                    signal("-CONT", first);
                    await().atMost(PATIENCE).until(() -> status(one).getLeader().startsWith("two_"));
                    assertThat(status(one).getLeads()).isFalse();
                    int from = writers.size();
                    await().atMost(PATIENCE).until(() -> writers.size() >= from + 20);
                    assertThat(terms()).containsExactly("one", "two");

                    processes.get(1).destroyForcibly().waitFor();
                    await().atMost(PATIENCE).until(() -> status(one).getLeads());
                    await().atMost(PATIENCE).until(() -> terms().equals(List.of("one", "two", "one")));
                }
            }
        }
    }

    private void awaitWrites(String replica) {
        await().atMost(PATIENCE).until(() -> writers.contains(replica));
    }

    /** Who has written, each for as long as no other one has. */
    private List<String> terms() {
        List<String> terms = new ArrayList<>();
        for (String writer : writers) {
            if (terms.isEmpty() || !terms.get(terms.size() - 1).equals(writer)) {
                terms.add(writer);
            }
        }
        return terms;
    }

    private final class Recorder implements Watcher<ConfigMap> {
        @Override
        public void eventReceived(Action action, ConfigMap now) {
            String by = now.getData().get("by");
            if (!by.equals("test")) {
                writers.add(by);
            }
        }

        @Override
        public void onClose(WatcherException cause) {
            writers.add("the watch was lost: " + cause);
        }
    }

    // ---- a daemon

    private Process daemon(String name) throws IOException {
        Path root = directory.resolve(name);
        Path etc = Files.createDirectories(root.resolve("etc/enipam"));
        Path kubeconfig = Kubeconfig.write(root.resolve("kubeconfig"), server.port(), "daemon");
        Files.writeString(etc.resolve("cluster.yaml"), """
                extensions: [stamps]
                node: {name: %s}
                cluster: {leader: kubernetes}
                kubernetes: {use: 'on', kubeconfig: %s}
                """.formatted(name, kubeconfig));
        Path log = directory.resolve(name + ".log");
        Process daemon = new ProcessBuilder(DaemonProgram.command(
                        DaemonMain.class, root, "--role", "cluster", "--plugin", plugins.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(daemon);
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains("serving on"));
        return daemon;
    }

    private SocketClient client(String name) {
        return new SocketClient(directory.resolve(name).resolve("run/enipam.sock"));
    }

    private static GetStatusReply status(SocketClient client) {
        return client.status();
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
