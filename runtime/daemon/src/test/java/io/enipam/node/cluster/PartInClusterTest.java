package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.platform.testing.Kubeconfig;
import io.enipam.pluginhost.testing.PluginJar;
import io.fabric8.kubernetes.api.model.Node;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A part of a plugin in a whole daemon, which watches nodes and changes them by the service that the daemon lends. */
class PartInClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** An extension that notes on each node its UID. */
    private static final String MARKING = """
            public List<Extension> extensions() {
                return List.of(Extension.of("marking", Set.of(Role.NODE), Marking::new));
            }
            static final class Marking implements Part, Source.Sink {
                private final io.enipam.sdk.cluster.Cluster cluster;
                private final io.enipam.sdk.cluster.Informer nodes;
                Marking(Host host) {
                    cluster = host.service(io.enipam.sdk.cluster.Cluster.class).orElseThrow();
                    nodes = cluster.informer(io.enipam.sdk.cluster.ObjectKind.NODE);
                    nodes.source().open(this);
                }
                public void changed(String key) {
                    nodes.get(key).filter(node -> !node.annotations().containsKey("example.com/seen")).ifPresent(node ->
                            cluster.patch(node.ref(), io.enipam.sdk.cluster.Patch.merge(Map.of("metadata",
                                    Map.of("annotations", Map.of("example.com/seen", node.uid())))).ifSame(node)));
                }
                public void synced() {}
                public void lost(String why) {}
                public void close() {
                    nodes.close();
                }
            }
            """;

    @TempDir
    private Path directory;

    private final FakeApiServer server = new FakeApiServer();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aPartSeesEachNodeAndChangesIt() throws Exception {
        Path root = directory.resolve("root");
        Path kubeconfig = Kubeconfig.write(directory.resolve("kubeconfig"), server.port(), "daemon");
        PluginJar.of("marking").plugin(MARKING).write(Files.createDirectories(root.resolve("lib/plugins")));
        Path yaml = root.resolve("etc/enipam/enipam.yaml");
        Files.createDirectories(yaml.getParent());
        Files.writeString(yaml, """
                node: {name: node-1}
                extensions: [marking]
                kubernetes: {use: 'on', kubeconfig: %s}
                """.formatted(kubeconfig));
        create("node-1");
        LivingDaemon daemon = LivingDaemon.start(root);
        try (daemon) {
            await().atMost(PATIENCE).untilAsserted(() -> assertMarked("node-1"));
            create("node-2");
            await().atMost(PATIENCE).untilAsserted(() -> assertMarked("node-2"));
        }
    }

    private void create(String name) {
        server.client().resource(Manifests.node(name).build()).create();
    }

    private void assertMarked(String name) {
        Node node = server.client().nodes().withName(name).get();
        assertThat(node.getMetadata().getAnnotations())
                .containsEntry("example.com/seen", node.getMetadata().getUid());
    }
}
