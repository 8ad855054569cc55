package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.node.NodeStatusWriter;
import io.enipam.kubernetes.node.NodeStatusWriter.NodeAddressStatus;
import io.enipam.node.cluster.NodeStatusUpdater.NodeAvailability.AddressAvailability;
import io.enipam.sdk.ResourceState;
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
        static final Duration HOLD = Duration.ofSeconds(10);

        static final Duration APART = Duration.ofMinutes(1);

        private Optional<T> settled = Optional.empty();
        private long settledAt;
        private Optional<T> coming = Optional.empty();
        private long comingSince;

        /** Adds an observation, made at this time of the monotonic clock; returns the value to report. */
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

    /** @param capacity how many pods can have an address; empty until that is known */
    record NodeAvailability(AddressAvailability supply, OptionalInt capacity) {
        /** A start usually takes less; until then the former report remains. */
        static final Duration START = Duration.ofMinutes(2);

        /** Empty within the start time of an engine that has not served; broken says why pods cannot start though it does. */
        static Optional<NodeAvailability> of(
                IpamEngine engine, Supplier<Optional<String>> broken, Instant now, Duration up) {
            EngineStatus status = engine.status();
            if (status.phase() != EngineStatus.Phase.READY) {
                boolean slow = status.phase() == EngineStatus.Phase.RECOVERING && up.compareTo(START) >= 0;
                return !slow
                        ? Optional.empty()
                        : Optional.of(new NodeAvailability(
                                new AddressAvailability(false, "the daemon does not serve yet: " + status.detail()),
                                OptionalInt.empty()));
            }
            PoolSummary pool = engine.poolSummary();
            String stop = ProvisioningFailure.of(engine.pendingWork(), now)
                    .map(RetryState::message)
                    .orElse("");
            AddressAvailability supply = broken.get()
                    .map(why -> new AddressAvailability(false, why))
                    .orElseGet(() -> AddressAvailability.of(pool, stop));
            return Optional.of(new NodeAvailability(supply, OptionalInt.of(pool.capacity())));
        }

        /** Whether the next pod gets an address, for the scheduler: an address is idle, or can be made; and why. */
        record AddressAvailability(boolean sufficient, String message) {
            /** @param makesNone why none can be made now; empty text if one can */
            static AddressAvailability of(PoolSummary pool, String makesNone) {
                int idle = pool.count(ResourceState.IDLE);
                int held = pool.held() + pool.count(ResourceState.CREATING);
                String figures = idle + " idle, " + pool.count(ResourceState.IN_USE) + " in use of " + pool.capacity();
                if (idle > 0) {
                    return new AddressAvailability(true, "there are addresses: " + figures);
                }
                if (!makesNone.isEmpty()) {
                    return new AddressAvailability(
                            false, "no address is idle, and none is made: " + makesNone + " (" + figures + ")");
                }
                return held < pool.capacity()
                        ? new AddressAvailability(true, "addresses are made when they are wanted: " + figures)
                        : new AddressAvailability(false, "the node has as many addresses as it can have: " + figures);
            }
        }

        /**
         * Why nothing can be made, for observers outside the node. An old failure without a later try no longer counts:
         * perhaps no pod needed an address since, and if the scheduler sent no pods because of it, there would never be
         * another try.
         */
        static final class ProvisioningFailure {
            /** How long a failure counts after the time of its retry. */
            static final Duration COUNTS = Duration.ofMinutes(5);

            /** From this duration on failures count as lasting. */
            static final Duration LONG = Duration.ofMinutes(5);

            private ProvisioningFailure() {}

            /** The failures in a row whose last one still counts. */
            static Optional<RetryState> of(PendingWork agenda, Instant now) {
                return agenda.createTrouble().filter(setback -> {
                    Instant last = setback.next().isAfter(setback.at()) ? setback.next() : setback.at();
                    return now.isBefore(last.plus(COUNTS));
                });
            }

            /** The same, if they have lasted for long. */
            static Optional<RetryState> lasting(PendingWork agenda, Instant now) {
                return of(agenda, now)
                        .filter(setback ->
                                !setback.at().isBefore(setback.since().plus(LONG)));
            }
        }
    }
}
