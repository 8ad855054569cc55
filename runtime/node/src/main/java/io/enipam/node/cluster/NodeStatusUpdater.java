package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.node.NodeStatusWriter;
import io.enipam.kubernetes.node.NodeStatusWriter.NodeAddressStatus;
import io.enipam.node.cluster.NodeAvailability.AddressAvailability;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the node's status in the cluster up to date: the condition {@code SufficientIP} when it changes and as a
 * heartbeat, the capacity when it changes. Called every few seconds; one check at a time. Thread-safe.
 *
 * <p>An idle node costs two requests at the start and one every five minutes, with a jitter of a fifth. A value that
 * changes back and forth is reported once a minute at most. Every answer contains the node: values that another client
 * removed, or that are missing on a recreated node object, are reported again with the next heartbeat. Failures are
 * retried with growing pauses, up to the same five minutes.
 */
final class NodeStatusUpdater {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStatusUpdater.class);

    /** The requests: read the node, patch the condition, patch the capacity. */
    private static final int AT_ONCE = 3;

    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final double SPREAD = 0.2;

    /** A node that is joining the cluster may be missing for a moment. */
    private static final int FAILURES_TO_TELL = 3;

    private final Supplier<Optional<NodeAvailability>> outlook;
    private final NodeStatusWriter reporter;
    private final TimeSource time;
    private final EventSink events;
    private final RandomGenerator random;
    private final Backoff backoff =
            Backoff.doubling(SHORTEST, NodeStatusWriter.HEARTBEAT).spread(SPREAD);
    private final ChangeDebouncer<Boolean> supply = new ChangeDebouncer<>();
    private final ChangeDebouncer<Integer> capacity = new ChangeDebouncer<>();

    /** The node's last known status; empty before the first answer. */
    @GuardedBy("this")
    private Optional<NodeAddressStatus> word = Optional.empty();

    /** When the condition is repeated without a change, in nanoseconds of the monotonic clock. */
    @GuardedBy("this")
    private long heartbeat;

    /** No report before this time, by the same clock. */
    @GuardedBy("this")
    private long notBefore;

    @GuardedBy("this")
    private boolean looking;

    @GuardedBy("this")
    private int failures;

    /** @param outlook what to report; empty for nothing yet */
    NodeStatusUpdater(
            Supplier<Optional<NodeAvailability>> outlook,
            NodeStatusWriter reporter,
            TimeSource time,
            EventSink events,
            RandomGenerator random) {
        this.outlook = outlook;
        this.reporter = reporter;
        this.time = time;
        this.events = events;
        this.random = random;
        heartbeat = time.nanoTime();
        notBefore = heartbeat;
    }

    /** Checks, and reports changes. Returns at once, and never throws. */
    void sync() {
        synchronized (this) {
            if (looking) {
                return;
            }
            looking = true;
        }
        step(AT_ONCE);
    }

    /** @param most how many requests may follow one another */
    private void step(int most) {
        try {
            Optional<CompletableFuture<NodeAddressStatus>> said = outlook.get().flatMap(this::request);
            said.ifPresentOrElse(
                    request -> request.whenComplete((word, error) -> {
                        answered(word, error);
                        if (error == null && most > 1) {
                            step(most - 1);
                        } else {
                            looked();
                        }
                    }),
                    this::looked);
        } catch (RuntimeException e) {
            LOG.error("the node's condition could not be judged; this is a bug of enipam", e);
            looked();
        }
    }

    private synchronized void looked() {
        looking = false;
    }

    private synchronized Optional<CompletableFuture<NodeAddressStatus>> request(NodeAvailability now) {
        long nanos = time.nanoTime();
        boolean sufficient = supply.observe(now.supply().sufficient(), nanos);
        OptionalInt pods = now.capacity().isPresent()
                ? OptionalInt.of(capacity.observe(now.capacity().getAsInt(), nanos))
                : OptionalInt.empty();
        return nanos - notBefore < 0 ? Optional.empty() : request(sufficient, now.supply(), pods);
    }

    /** Whether a request is in flight. */
    synchronized boolean isLooking() {
        return looking;
    }

    /** The next report that is due. */
    @GuardedBy("this")
    private Optional<CompletableFuture<NodeAddressStatus>> request(
            boolean sufficient, AddressAvailability why, OptionalInt pods) {
        if (word.isEmpty()) {
            return Optional.of(reporter.fetch());
        }
        NodeAddressStatus known = word.get();
        boolean same = known.sufficient().equals(Optional.of(sufficient));
        if (!same || time.nanoTime() - heartbeat >= 0) {
            Instant since = same ? known.since().orElse(time.now()) : time.now();
            // report the present state, though its reason may be about to change
            String message = why.sufficient() == sufficient ? why.message() : "it is about to change: " + why.message();
            return Optional.of(
                    reporter.writeSufficient(sufficient, message, since).thenApply(this::beaten));
        }
        return pods.isPresent() && !known.capacity().equals(pods)
                ? Optional.of(reporter.writeCapacity(pods.getAsInt()))
                : Optional.empty();
    }

    private synchronized NodeAddressStatus beaten(NodeAddressStatus said) {
        heartbeat = time.nanoTime()
                + Backoff.spread(NodeStatusWriter.HEARTBEAT, SPREAD, random).toNanos();
        return said;
    }

    private void answered(NodeAddressStatus said, Throwable error) {
        int failed;
        synchronized (this) {
            if (error == null) {
                word = Optional.of(said);
                failed = -failures;
                failures = 0;
            } else {
                failures++;
                failed = failures;
                notBefore = time.nanoTime() + backoff.pause(failures, random).toNanos();
            }
        }
        if (failed == FAILURES_TO_TELL) {
            String why = String.valueOf(error.getMessage());
            events.warning(
                    "NodeNotTold",
                    "node",
                    "the node's condition and capacity cannot be told: " + why
                            + (why.contains("403") ? "; compare its role with the deployment's rbac.yaml" : ""));
        } else if (failed <= -FAILURES_TO_TELL) {
            events.info("NodeTold", "node", "the node's condition and capacity are told again");
        }
    }

    /**
     * Damps a changing value: the first value counts at once, another one when it has held for a while and some time
     * after the last change. Measured by the monotonic clock. Not thread-safe.
     */
    static final class ChangeDebouncer<T> {
        /** How long a change must hold. */
        static final Duration HOLD = Duration.ofSeconds(10);

        /** The least time between two changes. */
        static final Duration APART = Duration.ofMinutes(1);

        private Optional<T> settled = Optional.empty();
        private long settledAt;
        private Optional<T> coming = Optional.empty();
        private long comingSince;

        /**
         * Adds an observation; returns the value to report.
         *
         * @param nanos time of the observation, by the monotonic clock
         */
        T observe(T now, long nanos) {
            if (settled.filter(now::equals).isPresent()) {
                coming = Optional.empty();
            } else if (coming.filter(now::equals).isEmpty()) {
                coming = Optional.of(now);
                comingSince = nanos;
            }
            if (settled.isEmpty()
                    || (coming.isPresent()
                            && nanos - comingSince >= HOLD.toNanos()
                            && nanos - settledAt >= APART.toNanos())) {
                settled = Optional.of(now);
                settledAt = nanos;
                coming = Optional.empty();
            }
            return settled.orElse(now);
        }
    }
}
