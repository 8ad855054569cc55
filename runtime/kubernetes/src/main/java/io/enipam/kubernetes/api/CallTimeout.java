package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A call that ends. The HTTP client's limit is over with the headers of an answer, and the client above it waits for the rest for
 * ever: a proxy that dies in the middle of a body would keep the thread. So the thread is interrupted.
 */
final class CallTimeout {
    private CallTimeout() {}

    /**
     * @throws KubernetesClientException if it has not ended within the limit. After that the thread is as it was before: nobody
     *     interrupts it later, and it does not count as interrupted
     */
    static <T> T call(Duration limit, Supplier<T> call) {
        InterruptTimer alarm = new InterruptTimer(Thread.currentThread(), limit);
        try (alarm) {
            return call.get();
        } catch (RuntimeException e) {
            if (!alarm.hasRung()) {
                throw e;
            }
            // without a cause: who is told shall not read of a thread's interruption
            KubernetesClientException endless =
                    new KubernetesClientException("the answer did not end within " + limit.toSeconds() + " s");
            endless.addSuppressed(e);
            throw endless;
        }
    }

    /** Either the call ends first, or the alarm rings: never both. */
    private static final class InterruptTimer implements AutoCloseable {
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final CompletableFuture<Boolean> rung;

        private InterruptTimer(Thread worker, Duration limit) {
            rung = end.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).handle((done, late) -> {
                if (late != null) {
                    worker.interrupt();
                }
                return late != null;
            });
        }

        private boolean hasRung() {
            return rung.join();
        }

        @Override
        public void close() {
            end.complete(null);
            if (hasRung()) {
                Thread.interrupted();
            }
        }
    }
}
