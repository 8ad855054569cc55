package io.enipam.kubernetes.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.port.Leadership;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.ShiftedTime;
import io.enipam.kubernetes.testing.TestScheduler;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Source;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.testkit.ClusterContract;
import io.fabric8.kubernetes.api.model.ContainerImage;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The service over a line that breaks, to an API server that does not always want. */
class ApiServerClusterTest extends ClusterContract {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final FakeApiServer server = new FakeApiServer();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean leading = new AtomicBoolean(true);
    private final ShiftedTime time = new ShiftedTime();
    private final TestScheduler scheduler = new TestScheduler();
    private CuttableProxy line;
    private ApiServerClient calls;
    private ApiServerCluster cluster;
    private final ApiServerClient direct = server.calls(RequestListener.NONE);
    private final ApiServerCluster others = new ApiServerCluster(direct, Leadership.alone("another"), time, scheduler);

    @Override
    protected Cluster cluster() {
        try {
            line = server.line();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        calls = FakeApiServer.calls(server.config(line), (request, code) -> requests.add(request + " " + code));
        cluster = new ApiServerCluster(calls, new Switched(), time, scheduler);
        return cluster;
    }

    private final class Switched implements Leadership {
        @Override
        public boolean leads() {
            return leading.get();
        }

        @Override
        public Optional<String> leader() {
            return Optional.of(leads() ? "this" : "another");
        }

        @Override
        public void follow(Consumer<Boolean> listener) {
            listener.accept(leads());
        }

        @Override
        public void close() {}
    }

    @Override
    protected Cluster another() {
        return others;
    }

    @Override
    protected void whileWatchesAreBroken(Runnable meanwhile) {
        server.settle();
        line.cut();
        meanwhile.run();
        server.forgetHistoryOnce("nodes");
        line.mend();
    }

    @Override
    protected void failNextWrite(ErrorKind kind, boolean done) {
        MockResponse answer = switch (kind) {
            case DEADLINE_EXCEEDED -> FakeApiServer.refusal(504, "Timeout", "the request did not end in time");
            case THROTTLED -> FakeApiServer.refusal(429, "TooManyRequests", "too many requests");
            case UNAUTHORIZED -> FakeApiServer.refusal(403, "Forbidden", "nodes is forbidden");
            case UNAVAILABLE -> FakeApiServer.refusal(503, "ServiceUnavailable", "it is starting");
            case MISCONFIGURED -> FakeApiServer.refusal(422, "Invalid", "spec.podCIDR: Invalid value");
            case CONFLICT -> FakeApiServer.refusal(409, "Conflict", "the object has been modified");
            default -> throw new IllegalArgumentException("no server answers " + kind);
        };
        AtomicBoolean once = new AtomicBoolean();
        Function<String, Optional<MockResponse>> next = request ->
                !request.startsWith("GET ") && once.compareAndSet(false, true) ? Optional.of(answer) : Optional.empty();
        if (done) {
            server.answersAfterwards(next);
        } else {
            server.answers(next);
        }
    }

    @Override
    protected void lead(boolean now) {
        leading.set(now);
    }

    @Override
    protected List<String> reasons(ObjectRef about) {
        return server.client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> about.name().equals(event.getInvolvedObject().getName()))
                .map(event -> event.getReason())
                .toList();
    }

    @Override
    protected void end() {
        others.close();
        cluster.close();
        calls.close();
        direct.close();
        scheduler.close();
        try {
            line.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.close();
    }

    @Test
    void allPartsShareOneWatchOfAKind() {
        List<Informer> informers = new ArrayList<>();
        for (int part = 0; part < 5; part++) {
            informers.add(cluster.informer(ObjectKind.NODE));
        }
        await().atMost(PATIENCE).until(() -> informers.stream().allMatch(Informer::isCurrent));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(requests)
                        .filteredOn(request -> request.startsWith("WATCH "))
                        .hasSize(1));
        informers.forEach(Informer::close);
        assertThat(informers)
                .allSatisfy(informer -> assertThat(informer.problem()).contains("was closed"));
    }

    @Test
    void aCopyThatGrewOldIsLostAndIsThereAgainWithTheApiServer() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        Source.Sink sink = sink(told);
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            nodes.source().open(sink);
            await().atMost(PATIENCE).until(() -> told.contains("synced"));
            line.cut();
            // the tick that sees the watch gone and the one that finds it gone for long are different ones
            await().atMost(PATIENCE).untilAsserted(() -> {
                time.pass(KindWatch.GRACE);
                assertThat(told).anyMatch(each -> each.startsWith("lost"));
            });
            assertThat(nodes.isCurrent()).isFalse();
            assertThat(nodes.problem()).contains("no watch on nodes");
            told.clear();
            nodes.source().open(sink);
            line.mend();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(told).contains("synced");
                assertThat(nodes.isCurrent()).isTrue();
            });
        }
    }

    @Test
    void aSinkThatBlocksHoldsUpNoOther() {
        CountDownLatch blocked = new CountDownLatch(1);
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            nodes.source().open(new Source.Sink() {
                @Override
                public void changed(String key) {
                    synced();
                }

                @Override
                public void synced() {
                    try {
                        blocked.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }

                @Override
                public void lost(String why) {}
            });
            Queue<String> told = new ConcurrentLinkedQueue<>();
            nodes.source().open(sink(told));
            others.create(ClusterObject.of(ObjectRef.node("node-1"), Map.of()));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).contains("synced", "changed node-1"));
        } finally {
            blocked.countDown();
        }
    }

    @Test
    void theCopyOfANodeIsWithoutItsImages() {
        ContainerImage image = new ContainerImage(List.of("registry/image:1"), 1_000L);
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("node-1")
                        .endMetadata()
                        .withNewStatus()
                        .withImages(image)
                        .addNewAddress("10.0.0.1", "InternalIP")
                        .endStatus()
                        .build())
                .create();
        try (Informer nodes = cluster.informer(ObjectKind.NODE)) {
            await().atMost(PATIENCE).until(() -> nodes.get("node-1").isPresent());
            ClusterObject node = nodes.get("node-1").orElseThrow();
            assertThat(node.at("status", "addresses")).isPresent();
            assertThat(node.at("status", "images")).isEmpty();
        }
    }

    @Test
    void aKindThatTheServerDoesNotHaveIsAMistakeAndNotAMissingObject() throws Exception {
        server.answers(request -> request.contains("/networking.example.com/")
                ? Optional.of(new MockResponse().setResponseCode(404).setBody("404 page not found"))
                : Optional.empty());
        ObjectKind kind = ObjectKind.ofCluster("networking.example.com", "v1", "Block", "blocks");
        assertThat(cluster.get(ObjectRef.of(kind, "one"))
                        .toCompletableFuture()
                        .get()
                        .is(ErrorKind.MISCONFIGURED))
                .isTrue();
        try (Informer blocks = cluster.informer(kind)) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(blocks.problem()).contains("blocks were not listed yet: "));
        }
    }

    @Test
    void aServerThatCannotBeReachedHasDoneNothing() throws Exception {
        ApiServerClient nowhere = FakeApiServer.calls(
                new ConfigBuilder(server.config())
                        .withMasterUrl("http://127.0.0.1:1")
                        .build(),
                RequestListener.NONE);
        ApiServerCluster away = new ApiServerCluster(nowhere, Leadership.alone("this"), time, scheduler);
        try {
            assertThat(away.create(ClusterObject.of(ObjectRef.node("node-1"), Map.of()))
                            .toCompletableFuture()
                            .get()
                            .is(ErrorKind.UNAVAILABLE))
                    .isTrue();
        } finally {
            away.close();
            nowhere.close();
        }
    }

    @Test
    void aConnectionThatBreaksBeforeTheAnswerLeavesItUnknown() throws Exception {
        server.answersAfterwards(request -> {
            if (request.startsWith("POST ")) {
                line.drop();
            }
            return Optional.empty();
        });
        assertThat(cluster.create(ClusterObject.of(ObjectRef.node("node-1"), Map.of()))
                        .toCompletableFuture()
                        .get()
                        .is(ErrorKind.DEADLINE_EXCEEDED))
                .isTrue();
        assertThat(others.get(ObjectRef.node("node-1"))
                        .toCompletableFuture()
                        .get()
                        .value())
                .isPresent();
    }

    @Test
    void thereIsALimitOfKinds() {
        List<Informer> informers = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                informers.add(cluster.informer(
                        ObjectKind.ofCluster("networking.example.com", "v1", "Kind" + i, "kinds" + i)));
            }
            assertThatThrownBy(() -> cluster.informer(ObjectKind.NODE))
                    .isInstanceOfSatisfying(
                            FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED));
        } finally {
            informers.forEach(Informer::close);
        }
        cluster.informer(ObjectKind.NODE).close();
    }

    private static Source.Sink sink(Queue<String> told) {
        return new Source.Sink() {
            @Override
            public void changed(String key) {
                told.add("changed " + key);
            }

            @Override
            public void synced() {
                told.add("synced");
            }

            @Override
            public void lost(String why) {
                told.add("lost: " + why);
            }
        };
    }
}
