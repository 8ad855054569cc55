package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Asks all sources side by side. Thread-safe; no call blocks. There is one thread for each source that is being asked and
 * for each answer that is being worked on, none without queries, and a source that hangs holds its own one alone.
 */
public final class Sources implements AutoCloseable {
    /** How old the answer of a costly source may be for a query in passing. */
    public static final Duration IN_PASSING = Duration.ofSeconds(30);

    /** The same for a query that wants a new answer: queries of about one moment share it. */
    public static final Duration ANEW = Duration.ofSeconds(2);

    private final TimeSource time;
    private final ExecutorService threads;
    private final Executor onward = this::onward;
    private final List<SourceClient<?>> clients;

    /** @param sources in the order in which they are shown, no two of one type */
    public Sources(List<Source<?>> sources, TimeSource time, Scheduler scheduler) {
        this.time = time;
        this.threads = Executors.newCachedThreadPool(DaemonThreads.numbered("source"));
        this.clients = sources.stream()
                .<SourceClient<?>>map(source -> new SourceClient<>(source, time, scheduler, threads))
                .toList();
    }

    /**
     * Asks every source, and waits for each as long as its patience lasts.
     *
     * @param age how old the answer of a costly source may be; zero: it is asked anew. The others are asked anew always
     * @return never fails: the snapshot names what could not be asked; completes on a thread of the sources
     */
    public CompletableFuture<Snapshot> ask(Duration age) {
        Instant at = time.now();
        Map<Class<?>, CompletableFuture<? extends SourceReply<?>>> coming = new LinkedHashMap<>();
        clients.forEach(client -> coming.put(client.type(), client.reply(age)));
        return CompletableFuture.allOf(coming.values().toArray(CompletableFuture[]::new))
                .thenApplyAsync(
                        done -> {
                            Map<Class<?>, SourceReply<?>> replies = new LinkedHashMap<>();
                            coming.forEach((type, reply) -> replies.put(type, reply.join()));
                            return new Snapshot(at, replies);
                        },
                        onward);
    }

    /** Where to work on what the sources said: the scheduler's few threads are the engine's. */
    public Executor onward() {
        return onward;
    }

    private void onward(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException closed) {
            // who still waits is answered all the same
            work.run();
        }
    }

    /** Interrupts the questions under way, as far as possible. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
