package io.enipam.engine;

import io.enipam.engine.gc.GcReport;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddOutcome;
import io.enipam.engine.lease.DelOutcome;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The engine's one door. Thread-safe; nothing here blocks. Every future that fails, fails with {@link IpamException}.
 */
public interface IpamEngine extends AutoCloseable {
    /**
     * Recovers from database and cloud, then serves. Until the future completes, inspection works and {@link #add}
     * answers {@code TRY_AGAIN}.
     */
    CompletableFuture<Void> start();

    /** Lends an address: the lease is durable and the kernel set up when the future completes. */
    CompletableFuture<AddOutcome> add(AddCommand command);

    /** Takes an address back. Needs neither API server nor cloud. */
    CompletableFuture<DelOutcome> del(OwnerKey owner);

    /** Ends the leases of pods that are gone. One runs at a time: a call during a run waits for its turn. */
    CompletableFuture<GcReport> collect(boolean dryRun);

    EngineStatus status();

    PoolView pool();

    /** All leases, ordered by owner. */
    List<Lease> leases();

    Optional<Lease> lease(OwnerKey owner);

    List<Lease> leasesOf(PodRef pod);

    /** Takes nothing new, finishes what was begun (10 s at most), then stops. Does not close the ports. */
    @Override
    void close();
}
