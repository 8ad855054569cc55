package io.enipam.kubernetes.api;

import dev.failsafe.RateLimitExceededException;
import dev.failsafe.RateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests that share threads and a rate, and take none of other lanes'. Thread-safe. */
final class RequestExecutor implements AutoCloseable {
    private final ThreadPoolExecutor threads;
    private final RateLimiter<Object> rate;
    private final Duration turn;
    private final Duration patience;
    private final String tooMany;

    /**
     * @param name of its threads
     * @param atOnce how many requests are under way at most
     * @param waiting how many may wait for their turn
     * @param patience how long one may wait for its turn: whoever asked has given up by then
     * @param turn how long one may wait for a permit of the rate
     * @param tooMany why a request is not sent that the rate does not allow
     */
    RequestExecutor(
            String name,
            int atOnce,
            int waiting,
            Duration patience,
            RateLimiter<Object> rate,
            Duration turn,
            String tooMany) {
        this.rate = rate;
        this.turn = turn;
        this.patience = patience;
        this.tooMany = tooMany;
        threads = new ThreadPoolExecutor(
                atOnce, atOnce, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(waiting), threads(name));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Makes daemon threads of this name, with a number behind it. */
    static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** @return fails with {@link IOException}. A request that nobody waits for any more when its turn comes is not sent */
    <T> CompletableFuture<T> send(String what, Supplier<T> request) {
        Task<T> errand = new Task<>(what, request);
        try {
            threads.execute(errand);
        } catch (RejectedExecutionException e) {
            errand.isNotSent(
                    threads.isShutdown()
                            ? "the daemon is stopping"
                            : threads.getQueue().size() + " requests are waiting",
                    e);
        }
        return errand.answer;
    }

    /** What is under way is interrupted, and what waits is not sent: all of it fails. */
    @Override
    public void close() {
        for (Runnable left : threads.shutdownNow()) {
            if (left instanceof Task<?> errand) {
                errand.isNotSent("the daemon is stopping", null);
            }
        }
    }

    private final class Task<T> implements Runnable {
        private final String what;
        private final Supplier<T> request;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final long asked = System.nanoTime();

        private Task(String what, Supplier<T> request) {
            this.what = what;
            this.request = request;
        }

        private void isNotSent(String why, @Nullable Throwable cause) {
            answer.completeExceptionally(new IOException(what + " was not sent: " + why, cause));
        }

        @Override
        public void run() {
            if (answer.isDone()) {
                return;
            }
            if (System.nanoTime() - asked > patience.toNanos()) {
                isNotSent("it had to wait for more than " + patience.toSeconds() + " s for others", null);
                return;
            }
            try {
                if (turn.isZero() ? rate.tryAcquirePermit() : rate.tryAcquirePermit(turn)) {
                    answer.complete(request.get());
                } else {
                    isNotSent(tooMany, new RateLimitExceededException(rate));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                isNotSent("the daemon is stopping", e);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(ApiServerClient.failure(what, e));
            }
        }
    }
}
