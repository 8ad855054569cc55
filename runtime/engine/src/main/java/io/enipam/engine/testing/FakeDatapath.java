package io.enipam.engine.testing;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A kernel in memory: knows which owner is connected with which lease, and fails when a test says so. Thread-safe. */
public final class FakeDatapath implements Datapath {
    private final Map<OwnerKey, Lease> connected = new HashMap<>();
    private boolean setUpFails;
    private boolean tearDownFails;
    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

    public synchronized void failSetUp(boolean fail) {
        setUpFails = fail;
    }

    public synchronized void failTearDown(boolean fail) {
        tearDownFails = fail;
    }

    /** From now on a set-up does its work at once, and is answered when the caller completes what this returns. */
    public synchronized CompletableFuture<Void> holdSetUps() {
        gate = new CompletableFuture<>();
        return gate;
    }

    /** Who is connected with what. */
    public synchronized Map<OwnerKey, Lease> connected() {
        return Map.copyOf(connected);
    }

    @Override
    public synchronized CompletionStage<Void> setUp(Lease lease, String netns) {
        if (setUpFails) {
            return CompletableFuture.failedFuture(new IOException("RTNETLINK answers: Operation not permitted"));
        }
        connected.put(lease.owner(), lease);
        return gate;
    }

    @Override
    public synchronized CompletionStage<Void> tearDown(OwnerKey owner) {
        if (tearDownFails) {
            return CompletableFuture.failedFuture(new IOException("RTNETLINK answers: Device or resource busy"));
        }
        connected.remove(owner);
        return CompletableFuture.completedFuture(null);
    }
}
