package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.lent.CloudLender.LentNode;
import io.enipam.aliyun.lent.CloudLender.Session;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.cloud.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the calls of plugins on the lender's threads, each with a deadline, and turns what is thrown into an outcome.
 *
 * @param deadlines a thread of the lender's own: what a plugin does when its call is late holds up no other timer of the daemon
 */
record CallQueue(
        Supplier<Session> session, ExecutorService threads, ScheduledExecutorService deadlines, TimeSource time) {
    private static final Logger LOG = LoggerFactory.getLogger(CallQueue.class);

    /** @param work runs on one of the threads; throws {@link EcsException}, {@link FactoryException} or {@link Refusal} */
    <T> CompletionStage<Outcome<T>> call(Duration limit, Function<Turn, T> work) {
        long end = time.nanoTime() + limit.toNanos();
        CompletableFuture<Outcome<T>> outcome = new CompletableFuture<>();
        try {
            Future<?> deadline = deadlines.schedule(
                    () -> outcome.complete(new Outcome.NotDone<>(late(limit), true)),
                    limit.toNanos(),
                    TimeUnit.NANOSECONDS);
            outcome.whenComplete((done, failure) -> deadline.cancel(false));
            threads.execute(() -> outcome.complete(run(end, work)));
        } catch (RejectedExecutionException e) {
            outcome.complete(
                    threads.isShutdown()
                            ? stopping()
                            : Outcome.refused(
                                    ErrorKind.THROTTLED, "too many calls of plugins wait for the cloud already"));
        }
        return outcome.minimalCompletionStage();
    }

    private static <T> Outcome<T> stopping() {
        return Outcome.refused(ErrorKind.UNAVAILABLE, "the daemon is stopping");
    }

    private static Failed late(Duration limit) {
        return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the cloud has not done it within " + limit.toMillis() + " ms");
    }

    private <T> Outcome<T> run(long end, Function<Turn, T> work) {
        if (threads.isShutdown()) {
            return stopping();
        }
        if (end - time.nanoTime() <= 0) {
            return Outcome.refused(ErrorKind.DEADLINE_EXCEEDED, "its deadline passed before it had its turn");
        }
        try {
            return new Outcome.Done<>(work.apply(new Turn(session.get(), end, time)));
        } catch (Refusal e) {
            return new Outcome.NotDone<>(e.failure, e.unknown);
        } catch (EcsException e) {
            return new Outcome.NotDone<>(e.asFailed(), e.outcomeUnknown());
        } catch (FactoryException e) {
            return Outcome.refused(e.kind(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("a call of the cloud for a plugin failed by a bug", e);
            return new Outcome.NotDone<>(Failed.of(ErrorKind.INTERNAL, "a bug of the daemon: " + e), true);
        }
    }

    /** The end of a call that the cloud itself did not refuse. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Failed failure;
        private final boolean unknown;

        Refusal(ErrorKind kind, String message, boolean unknown) {
            super(message, null, false, false);
            this.failure = Failed.of(kind, message);
            this.unknown = unknown;
        }
    }

    /**
     * One call at work, on one thread.
     *
     * @param endNanos when it has to be over
     */
    record Turn(Session session, long endNanos, TimeSource time) {
        /** The cloud, for a call that ends in time. */
        EcsApi api() {
            return session.api().within(Duration.ofNanos(Math.max(1, endNanos - time.nanoTime())));
        }

        /** The same for a call that changes something. Asked when it is sent: leadership may have passed on since it was queued. */
        EcsApi changing() {
            if (!session.leads().getAsBoolean()) {
                throw new Refusal(
                        ErrorKind.UNAVAILABLE, "this replica does not lead, so the cloud was not asked", false);
            }
            return api();
        }

        /** Throws {@link Refusal} on a host that is no node. */
        LentNode node() {
            return session.node()
                    .orElseThrow(() -> new Refusal(
                            ErrorKind.MISCONFIGURED,
                            "this host has role CLUSTER: it is no node, and has no ENIs",
                            false));
        }

        String instance() {
            return node().identity().instanceId();
        }

        /** Waits before the next look at a status: 0.2 s at first, 1 s later. */
        void pause(int look, String what) {
            Duration pause = Duration.ofMillis(Math.min(1000, 200L << Math.min(look, 3)));
            if (endNanos - time.nanoTime() <= pause.toNanos()) {
                throw new Refusal(ErrorKind.DEADLINE_EXCEEDED, what, true);
            }
            try {
                session.pauses().sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Refusal(ErrorKind.UNAVAILABLE, "the daemon is stopping", true);
            }
        }
    }
}
