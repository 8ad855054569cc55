package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.engine.testing.TestThreads;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.ListCloudCallsReply;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.SetCloudLatencyRequest;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ten pods that start at once, on a whole daemon. */
@Timeout(180)
class PodBurstTest {
    private static final int PODS = 10;
    /** A busy machine may hold a caller back for longer than others are waited for. */
    private static final int BURSTS = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void anApiServerThatTakesTwentyMillisecondsIsAskedForNoPod() throws IOException {
        try (ClusteredDaemon node = new ClusteredDaemon(directory, "")) {
            List<Pod> pods = new ArrayList<>();
            for (int i = 0; i < PODS; i++) {
                pods.add(node.create("web-" + i));
            }
            node.awaitWatched(PODS);
            node.server.answers(line -> {
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
                return Optional.empty();
            });
            int before = node.server.asked().size();

            together(i -> node.add(pods.get(i), "c-web-" + i));

            assertThat(node.lent()).isEqualTo(PODS);
            List<String> asked = node.server.asked();
            assertThat(asked.subList(before, asked.size())).noneMatch(line -> line.contains("/pods"));
        }
    }

    @Test
    void aCloudThatTakesHalfASecondIsAskedOnceForTheAddressesThatAreNotIdle() throws IOException {
        Path root = directory.resolve("root");
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        Files.writeString(config, "pool: {min_idle: 2, max_idle: 5, cool_down: 0s}\n");
        try (LivingDaemon daemon = LivingDaemon.onTheEmulator(root)) {
            await().atMost(PATIENCE).until(() -> counts(daemon).getIdle() == 2);
            daemon.client()
                    .control()
                    .setCloudLatency(SetCloudLatencyRequest.newBuilder()
                            .setLatency("assign=500ms")
                            .build());
            List<Long> calls = new ArrayList<>();
            while (!calls.contains(1L) && calls.size() < BURSTS) {
                long before = assigns(daemon);
                together(i -> add(daemon, i));
                calls.add(assigns(daemon) - before);
                together(i -> del(daemon, i));
                await().atMost(PATIENCE).until(() -> isAtRest(counts(daemon)));
            }
            assertThat(calls).as("calls for each burst").contains(1L);
        }
    }

    private static boolean isAtRest(PoolCounts counts) {
        return counts.getIdle() <= 5
                && counts.getIdle() >= 2
                && counts.getInUse() + counts.getCreating() + counts.getDisposing() == 0;
    }

    private static PoolCounts counts(LivingDaemon daemon) {
        return daemon.client().pool().getCounts();
    }

    private static long assigns(LivingDaemon daemon) {
        List<ListCloudCallsReply> replies = new ArrayList<>();
        daemon.client()
                .inspect()
                .listCloudCalls(ListCloudCallsRequest.newBuilder()
                        .setApi("AssignPrivateIpAddresses")
                        .build())
                .forEachRemaining(replies::add);
        return replies.stream().mapToInt(ListCloudCallsReply::getCallsCount).sum();
    }

    private static void add(LivingDaemon daemon, int pod) {
        daemon.client()
                .control()
                .cniAdd(CniAddRequest.newBuilder()
                        .setPod("default/web-" + pod)
                        .setContainer("c-" + pod)
                        .build());
    }

    private static void del(LivingDaemon daemon, int pod) {
        daemon.client()
                .control()
                .cniDel(CniDelRequest.newBuilder()
                        .setPod("default/web-" + pod)
                        .setContainer("c-" + pod)
                        .build());
    }

    /** Calls that begin 2 ms apart; returns when all are answered, and fails as the first of them. */
    private static void together(IntConsumer call) {
        List<CompletableFuture<Void>> all = IntStream.range(0, PODS)
                .mapToObj(i -> {
                    Executor later =
                            CompletableFuture.delayedExecutor(2L * i, TimeUnit.MILLISECONDS, TestThreads.PER_TASK);
                    return CompletableFuture.runAsync(() -> call.accept(i), later);
                })
                .toList();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    }
}
