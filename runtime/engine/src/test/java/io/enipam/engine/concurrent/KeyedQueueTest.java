package io.enipam.engine.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyedQueueTest {
    private final KeyedQueue<String> queue = new KeyedQueue<>();

    @Test
    void tasksOfOneKeyRunOneAfterTheOther() {
        List<String> story = new ArrayList<>();
        CompletableFuture<String> first = new CompletableFuture<>();

        queue.run("pod", () -> {
            story.add("first begins");
            return first.thenApply(x -> story.add("first ends"));
        });
        queue.run("pod", () -> {
            story.add("second begins");
            return CompletableFuture.completedFuture(null);
        });
        first.complete("done");

        assertThat(story).containsExactly("first begins", "first ends", "second begins");
    }

    @Test
    void keysDoNotWaitForEachOther() {
        queue.run("slow", CompletableFuture::new);

        assertThat(queue.run("quick", () -> CompletableFuture.completedFuture(7)))
                .isCompletedWithValue(7);
    }

    @Test
    void aTaskThatThrowsDoesNotBlockTheNext() {
        CompletableFuture<Object> failed = queue.run("pod", () -> {
            throw new IllegalStateException("no");
        });

        assertThat(failed).isCompletedExceptionally();
        assertThat(queue.run("pod", () -> CompletableFuture.completedFuture(7))).isCompletedWithValue(7);
    }

    @Test
    void nothingIsKeptOfAKeyWithoutTasks() {
        queue.run("pod", () -> CompletableFuture.completedFuture(7));

        assertThat(queue.keys()).isEmpty();
    }

    /** Each of them used to be started below the end of the one before; the stack overflowed and the rest never ended. */
    @Test
    void aHundredThousandTasksThatWaitForOneAllEnd() {
        CompletableFuture<Integer> first = new CompletableFuture<>();
        queue.run("pod", () -> first);
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            waiting.add(queue.run("pod", () -> CompletableFuture.completedFuture(number)));
        }

        first.complete(0);

        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(queue.keys()).isEmpty();
    }

    @Test
    void neverRunsTwoTasksOfAKeyAtOnceHoweverManyThreadsAsk() throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            all.add(CompletableFuture.supplyAsync(
                            () -> queue.run(
                                    "pod",
                                    () -> CompletableFuture.supplyAsync(
                                            () -> {
                                                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                                return inside.decrementAndGet();
                                            },
                                            threads)),
                            threads)
                    .thenCompose(x -> x));
        }

        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();

        assertThat(most).hasValue(1);
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
}
