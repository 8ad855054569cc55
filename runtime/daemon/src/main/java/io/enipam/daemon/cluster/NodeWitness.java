package io.enipam.daemon.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.node.NodeReporter;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the cluster's picture of the node true: the condition {@code SufficientIP} when it changes and as a heartbeat, the capacity
 * when it changes. Asked to look every few seconds; one look at a time. Thread-safe.
 */
final class NodeWitness {
    private static final Logger LOG = LoggerFactory.getLogger(NodeWitness.class);

    private final IpamEngine engine;
    private final Supplier<String> makesNone;
    private final NodeReporter reporter;
    private final TimeSource time;

    @GuardedBy("this")
    private Optional<Told> told = Optional.empty();

    @GuardedBy("this")
    private int capacity = -1;

    @GuardedBy("this")
    private boolean looking;

    @GuardedBy("this")
    private boolean failing;

    private record Told(boolean sufficient, Instant at) {}

    /** @param makesNone why the pool makes no addresses at the moment; empty text if nothing is in the way */
    NodeWitness(IpamEngine engine, Supplier<String> makesNone, NodeReporter reporter, TimeSource time) {
        this.engine = engine;
        this.makesNone = makesNone;
        this.reporter = reporter;
        this.time = time;
    }

    /** Looks, and tells what is new. Never throws. */
    void look() {
        synchronized (this) {
            if (looking) {
                return;
            }
            looking = true;
        }
        tell().whenComplete((done, error) -> {
            synchronized (this) {
                looking = false;
                if (error != null && !failing) {
                    LOG.warn("the node's condition cannot be told: {}", error.getMessage());
                }
                failing = error != null;
            }
        });
    }

    private CompletableFuture<Void> tell() {
        try {
            var pool = engine.pool();
            AddressSupply supply = AddressSupply.of(pool, makesNone.get());
            CompletableFuture<Void> said = isNews(supply)
                    ? reporter.sufficient(supply.sufficient(), supply.message())
                            .thenRun(() -> heard(new Told(supply.sufficient(), time.now())))
                    : CompletableFuture.completedFuture(null);
            return said.thenCompose(done -> knows(pool.capacity())
                    ? CompletableFuture.completedFuture(null)
                    : reporter.capacity(pool.capacity()).thenRun(() -> heard(pool.capacity())));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized boolean isNews(AddressSupply supply) {
        return told.filter(before -> before.sufficient() == supply.sufficient()
                        && time.now().isBefore(before.at().plus(NodeReporter.HEARTBEAT)))
                .isEmpty();
    }

    private synchronized void heard(Told now) {
        told = Optional.of(now);
    }

    private synchronized boolean knows(int pods) {
        return capacity == pods;
    }

    private synchronized void heard(int pods) {
        capacity = pods;
    }
}
