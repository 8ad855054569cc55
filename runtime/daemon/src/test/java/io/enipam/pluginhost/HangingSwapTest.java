package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.CancelSwapRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginPart;
import io.enipam.v1.Pool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Swaps that a plugin holds up: a policy that is not opened, and a factory that never lists. */
class HangingSwapTest {
    private static final String INSIDE = "enipam.test.swap.inside";
    private static final String GO = "enipam.test.swap.go";
    private static final String PLUGIN = """
            static void hold() throws InterruptedException {
                System.setProperty("%s", "yes");
                while (System.getProperty("%s") == null) { Thread.sleep(10); }
            }
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(
                        PoolPolicyProvider.of("steady", context -> () -> "steady"),
                        PoolPolicyProvider.of("stuck", context -> {
                            try {
                                hold();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return () -> "stuck";
                        }));
            }
            public List<ResourceFactoryProvider> resourceFactories() {
                return List.of(ResourceFactoryProvider.of("mute", context -> new ResourceFactory() {
                    public ResourceKind kind() { return new ResourceKind("mute"); }
                    public Capabilities capabilities() { return new Capabilities(Set.of(Family.IPV4), 10, 1, false); }
                    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) { return List.of(); }
                    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) { return List.of(); }
                    public CompletionStage<List<Resource>> list() {
                        System.setProperty("%s", "yes");
                        return new CompletableFuture<>();
                    }
                }));
            }
            """.formatted(INSIDE, GO, INSIDE);

    @TempDir
    Path root;

    private LivingDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        PluginJar.of("tar").plugin(PLUGIN).write(Files.createDirectories(root.resolve("lib/plugins")));
        daemon = LivingDaemon.start(root);
    }

    @AfterEach
    void stop() {
        System.setProperty(GO, "now");
        daemon.close();
        System.clearProperty(GO);
        System.clearProperty(INSIDE);
    }

    @Test
    void aSwapThatHangsCanBeCancelledAndAnotherOneFollows() {
        CompletableFuture<Void> hanging = hanging(() -> daemon.swapPolicy("stuck"));
        assertThatThrownBy(() -> daemon.swapPolicy("steady"))
                .hasMessageContaining("another swap is under way, to policy stuck");

        assertThat(cancel()).isEqualTo("policy stuck");

        assertThatThrownBy(hanging::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("the swap to policy stuck has not happened: it was cancelled");
        assertThat(cancel()).isEmpty();
        daemon.swapPolicy("steady");
        assertThat(pool().getPolicy()).isEqualTo("steady");
        System.setProperty(GO, "now");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(plugin().getPoliciesList())
                        .extracting(PluginPart::getName, PluginPart::getState)
                        .containsExactly(tuple("steady", "ACTIVE"), tuple("stuck", "CLOSED")));
    }

    @Test
    void aSwapBackToTheBuiltInPolicyGoesFirst() {
        daemon.swapPolicy("steady");
        CompletableFuture<Void> hanging = hanging(() -> daemon.swapPolicy("stuck"));

        daemon.swapPolicy("watermark");

        assertThat(pool().getPolicy()).isEqualTo("watermark");
        assertThatThrownBy(hanging::join)
                .hasMessageContaining("has not happened: a swap to the built-in policy watermark came first");
    }

    @Test
    void aFactoryThatNeverListsIsCancelledInTheEngine() {
        CompletableFuture<Void> hanging = hanging(() -> daemon.swapFactory("mute"));

        assertThat(cancel()).isEqualTo("factory mute");

        assertThatThrownBy(hanging::join)
                .hasMessageContaining("the swap to factory mute has not happened: it was cancelled");
        assertThat(plugin().getFactories(0).getState()).isNotEqualTo("ACTIVE");
        daemon.swapPolicy("steady");
    }

    @Test
    void aSwapToABuiltInFactoryGoesFirstEvenIfThatMakesTheResourcesAlready() {
        CompletableFuture<Void> hanging = hanging(() -> daemon.swapFactory("mute"));

        assertThatThrownBy(() -> daemon.swapFactory("eni-ip"))
                .hasMessageContaining("factory eni-ip makes the resources already");

        assertThatThrownBy(hanging::join).hasMessageContaining("a swap to the built-in factory eni-ip came first");
    }

    /** Begins a swap, and returns when the plugin holds it. */
    private CompletableFuture<Void> hanging(Runnable swap) {
        CompletableFuture<Void> hanging = CompletableFuture.runAsync(swap, task -> new Thread(task).start());
        await().atMost(Duration.ofMinutes(1)).until(() -> System.getProperty(INSIDE) != null);
        return hanging;
    }

    private String cancel() {
        return daemon.client()
                .control()
                .cancelSwap(CancelSwapRequest.getDefaultInstance())
                .getCancelled();
    }

    private Pool pool() {
        return daemon.client().pool();
    }

    private Plugin plugin() {
        return daemon.client().plugin("tar");
    }
}
