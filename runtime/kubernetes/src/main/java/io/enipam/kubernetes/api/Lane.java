package io.enipam.kubernetes.api;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Requests that share threads and a rate, and take none of other lanes'. Thread-safe. */
final class Lane implements AutoCloseable {
    private final ThreadPoolExecutor threads;
    private final RateLimiter rate;
    private final String tooMany;

    /**
     * @param name of its threads
     * @param atOnce how many requests are under way at most
     * @param waiting how many may wait for their turn
     * @param tooMany why a request is not sent that the rate does not allow
     */
    Lane(String name, int atOnce, int waiting, RateLimiterConfig rate, String tooMany) {
        this.rate = RateLimiter.of(name, rate);
        this.tooMany = tooMany;
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                atOnce, atOnce, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(waiting), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** @return fails with {@link IOException}. A request that nobody waits for any more when its turn comes is not sent */
    <T> CompletableFuture<T> send(String what, Supplier<T> request) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                if (!answer.isDone()) {
                    answer(what, request, answer);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new IOException(
                    what + " was not sent: " + threads.getQueue().size() + " requests are waiting", e));
        }
        return answer;
    }

    private <T> void answer(String what, Supplier<T> request, CompletableFuture<T> answer) {
        try {
            answer.complete(RateLimiter.decorateSupplier(rate, request).get());
        } catch (RequestNotPermitted e) {
            answer.completeExceptionally(new IOException(what + " was not sent: " + tooMany, e));
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(ApiCalls.failure(what, e));
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
