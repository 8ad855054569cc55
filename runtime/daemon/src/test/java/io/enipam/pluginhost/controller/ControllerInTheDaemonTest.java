package io.enipam.pluginhost.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.FailingKey;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.PluginController;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A controller of a plugin in a daemon, and what operators see of it. */
class ControllerInTheDaemonTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PLUGIN = """
            static final Table<String> BLOCKS = new Table<>("blocks", 1, Codec.text());

            public List<Extension> extensions() {
                return List.of(Extension.of("blocks", Set.of(Role.NODE), Blocks::new));
            }

            static class Blocks implements Controller {
                Blocks(Host host) {
                    host.journal().open(BLOCKS);
                }

                public List<Source> watches() {
                    return List.of(new Source() {
                        public String name() { return "nodes"; }
                        public AutoCloseable open(Sink sink) {
                            sink.changed("n1");
                            sink.changed("broken");
                            sink.synced();
                            return () -> {};
                        }
                    });
                }

                public Next reconcile(String node, Transaction tx) {
                    if (node.equals("broken")) {
                        return Next.retry(ErrorKind.ADDRESSES_EXHAUSTED, "no block is left");
                    }
                    if (tx.get(BLOCKS, node).isEmpty()) {
                        tx.put(BLOCKS, node, "10.0.0.0/24");
                        tx.effect("assign", node, "10.0.0.0/24");
                    }
                    return Next.done();
                }

                public Limits limits() {
                    return new Limits(2, 10, Duration.ofMillis(10), Duration.ofMillis(10), 2);
                }

                public CompletionStage<EffectResult> perform(Effect effect) {
                    return CompletableFuture.completedStage(EffectResult.performed());
                }
            }
            """;

    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        PluginJar.of("node-ipam").plugin(PLUGIN).write(Files.createDirectories(root.resolve("lib/plugins")));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), "{extensions: [blocks]}");
        daemon = LivingDaemon.start(root);
    }

    private List<TraceStory> stories(String key) {
        List<TraceStory> found = new ArrayList<>();
        daemon.client()
                .inspect()
                .getTrace(GetTraceRequest.newBuilder().setTarget(key).build())
                .forEachRemaining((GetTraceReply reply) -> found.addAll(reply.getStoriesList()));
        return found;
    }

    private List<PluginController> controllers() {
        return daemon.client().plugin("node-ipam").getControllersList();
    }

    @Test
    void traceTellsAKeysStoryAndInfoAndDoctorTellTheKeyThatFails() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(stories("blocks/n1"))
                        .singleElement()
                        .satisfies(story -> {
                            assertThat(story.getOperation()).isEqualTo("RECONCILE");
                            assertThat(story.getOutcome()).isEqualTo("OK");
                            assertThat(story.getSpansList())
                                    .extracting(TraceSpan::getStep)
                                    .contains("RECONCILE", "EFFECT");
                        }));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(controllers()).singleElement().satisfies(controller -> {
                    assertThat(controller.getState()).isEqualTo("ACTIVE");
                    assertThat(controller.getLoad().getWorkers()).isEqualTo(2);
                    assertThat(controller.getFailingList()).singleElement().satisfies((FailingKey key) -> {
                        assertThat(key.getKey()).isEqualTo("broken");
                        assertThat(key.getFailures()).isEqualTo(3);
                        assertThat(key.getKind()).isEqualTo("ADDRESSES_EXHAUSTED");
                        assertThat(key.getWhy()).isEqualTo("no block is left");
                    });
                }));
        assertThat(daemon.client()
                        .inspect()
                        .runDoctor(RunDoctorRequest.newBuilder()
                                .addChecks("controller-key-failing")
                                .build())
                        .getFindingsList())
                .singleElement()
                .satisfies(finding -> assertThat(finding.toString())
                        .contains("blocks/broken")
                        .contains("failed 3 times: no block is left"));
    }
}
