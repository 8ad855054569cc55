package io.enipam.kubernetes.api;

import dev.failsafe.RateLimiter;
import io.enipam.engine.concurrent.DaemonThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs requests on threads and within a rate of its own. Thread-safe. */
final class RequestExecutor implements AutoCloseable {
    private final ThreadPoolExecutor threads;
    private final RateLimiter<Object> limiter;
    private final Rate rate;
    private final Duration patience;
    private final String tooMany;

    /**
     * @param most requests in a period, possibly all at once
     * @param patience how long a request waits for the next period; if the wait would be longer, it is not sent
     */
    record Rate(int most, Duration period, Duration patience) {}

    /** A request was not sent because of the rate. */
    static final class RateLimitedException extends IOException {
        private static final long serialVersionUID = 1L;

        private RateLimitedException(String message) {
            super(message);
        }
    }

    /**
     * @param atOnce the most requests in progress
     * @param waiting the most requests in the queue
     * @param patience the longest wait in the queue: the caller has given up by then
     * @param tooMany the message for a request that exceeds the rate
     */
    RequestExecutor(String name, int atOnce, int waiting, Duration patience, Rate rate, String tooMany) {
        this.rate = rate;
        this.limiter = RateLimiter.burstyBuilder(rate.most(), rate.period()).build();
        this.patience = patience;
        this.tooMany = tooMany;
        threads = new ThreadPoolExecutor(
                atOnce, atOnce, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(waiting), DaemonThreads.numbered(name));
        threads.allowCoreThreadTimeOut(true);
    }

    /** @return fails with {@link IOException}. A request whose caller has given up while it waited is not sent */
    <T> CompletableFuture<T> send(String what, Supplier<T> request) {
        Task<T> task = new Task<>(what, request);
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            int waiting = threads.getQueue().size();
            task.isNotSent(threads.isShutdown() ? "the daemon is stopping" : waiting + " requests are waiting", e);
        }
        return task.answer;
    }

    /** Interrupts requests in progress and drops waiting ones: all of them fail. */
    @Override
    public void close() {
        for (Runnable left : threads.shutdownNow()) {
            if (left instanceof Task<?> task) {
                task.isNotSent("the daemon is stopping", null);
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
                if (limiter.tryAcquirePermit(rate.patience())) {
                    answer.complete(request.get());
                } else {
                    answer.completeExceptionally(new RateLimitedException(what + " was not sent: " + tooMany));
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
