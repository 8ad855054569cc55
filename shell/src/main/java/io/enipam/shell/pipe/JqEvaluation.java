package io.enipam.shell.pipe;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.grpc.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import net.thisptr.jackson.jq.JsonQuery;
import net.thisptr.jackson.jq.Scope;
import net.thisptr.jackson.jq.exception.JsonQueryException;
import org.jspecify.annotations.Nullable;

/**
 * One document's way through an expression. It is made on a thread of its own, since nothing can end an expression from
 * outside: one that takes too long, or whose reader was interrupted, is left to itself, and keeps the program from nothing.
 */
final class JqEvaluation {
    private static final long LOOK_EVERY_MILLIS = 50;
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "jq");
        thread.setDaemon(true);
        return thread;
    });

    private final JsonQuery query;
    private final Scope scope;
    private final JsonNode input;
    private final long longest;
    private final BlockingQueue<Told> told = new ArrayBlockingQueue<>(64);
    private long waited;

    /** A result, or that there are no more, and why. */
    private record Told(@Nullable JsonNode result, @Nullable Throwable failure) {}

    /** Takes a result; on the thread of the one who asks for them. */
    interface Results {
        void result(JsonNode result) throws JsonQueryException;
    }

    /** @param longest how long the expression may keep its reader waiting, over all of its results */
    JqEvaluation(JsonQuery query, Scope scope, JsonNode input, Duration longest) {
        this.query = query;
        this.scope = scope;
        this.input = input;
        this.longest = longest.toNanos();
    }

    /**
     * Hands on each result as it comes.
     *
     * @throws ShellException if it took too long, or the command was interrupted meanwhile
     */
    void each(Results results) throws IOException {
        Future<?> work = THREADS.submit(this::evaluate);
        try {
            for (Told next = next(); ; next = next()) {
                JsonNode result = next.result();
                if (result == null) {
                    rethrow(next.failure());
                    return;
                }
                results.result(result);
            }
        } finally {
            work.cancel(true);
        }
    }

    private Told next() {
        while (waited < longest) {
            long start = System.nanoTime();
            try {
                Told next = told.poll(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    return next;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw interrupted();
            } finally {
                waited += System.nanoTime() - start;
            }
            if (Context.current().isCancelled()) {
                throw interrupted();
            }
        }
        throw JqStage.refused(
                "the expression took longer than " + TimeUnit.NANOSECONDS.toSeconds(longest) + " s",
                "Ask for less at once, or save the JSON and use a jq outside of this shell");
    }

    private static ShellException interrupted() {
        return new ShellException(ExitStatus.INTERRUPTED, "", "interrupted", "");
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof IOException known) {
            throw known;
        } else if (failure instanceof RuntimeException known) {
            throw known;
        } else if (failure instanceof Error known) {
            throw known;
        }
    }

    private void evaluate() {
        try {
            query.apply(scope, input, result -> put(new Told(result, null)));
            put(new Told(null, null));
        } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            if (!Thread.currentThread().isInterrupted()) {
                put(new Told(null, e));
            }
        }
    }

    private void put(Told next) {
        try {
            told.put(next);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("nobody reads any more", e);
        }
    }
}
