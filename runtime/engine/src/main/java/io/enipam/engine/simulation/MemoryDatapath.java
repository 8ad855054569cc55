package io.enipam.engine.simulation;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import io.enipam.sdk.Address;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** A kernel in memory: knows which owner is connected with which lease, and fails when its owner says so. Thread-safe. */
public final class MemoryDatapath implements Datapath {
    private final Map<OwnerKey, DatapathRequest> connected = new HashMap<>();
    /** What its owner put there, as another actor or an earlier life would. */
    private final Map<OwnerKey, Attachment> foreign = new HashMap<>();

    private DatapathResult wiring = DatapathResult.NONE;
    private boolean tellsPods = true;
    private boolean listFails;
    private boolean setUpFails;
    private boolean tearDownFails;
    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> way = CompletableFuture.completedFuture(null);

    public synchronized void failSetUp(boolean fail) {
        setUpFails = fail;
    }

    public synchronized void failTearDown(boolean fail) {
        tearDownFails = fail;
    }

    /** From now on the kernel cannot be read, or can again. */
    public synchronized void failList(boolean fail) {
        listFails = fail;
    }

    /** From now on attachments name their pods, or do not: a veth alone knows its sandbox and its addresses. */
    public synchronized void tellPods(boolean tell) {
        tellsPods = tell;
    }

    public synchronized boolean tellsPods() {
        return tellsPods;
    }

    /** Connects a sandbox behind the daemon's back. It takes the place of what the owner had. */
    public synchronized void put(Attachment attachment) {
        foreign.put(attachment.owner(), attachment);
    }

    /** From now on a set-up does its work at once, and is answered when the caller completes what this returns. */
    public synchronized CompletableFuture<Void> holdSetUps() {
        gate = new CompletableFuture<>();
        return gate;
    }

    /** From now on a tear-down does nothing until the caller completes what this returns. */
    public synchronized CompletableFuture<Void> holdTearDowns() {
        way = new CompletableFuture<>();
        return way;
    }

    /** Who is connected with what. */
    public synchronized Map<OwnerKey, Lease> connected() {
        return connected.values().stream()
                .map(DatapathRequest::lease)
                .collect(Collectors.toMap(Lease::owner, lease -> lease));
    }

    /** How an owner was connected the last time. */
    public synchronized Optional<DatapathRequest> connection(OwnerKey owner) {
        return Optional.ofNullable(connected.get(owner));
    }

    /** What connections from now on get as an answer. */
    public synchronized void answer(DatapathResult wiring) {
        this.wiring = wiring;
    }

    @Override
    public synchronized CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        if (setUpFails) {
            return CompletableFuture.failedFuture(new IOException("RTNETLINK answers: Operation not permitted"));
        }
        Lease lease = connection.lease();
        foreign.remove(lease.owner());
        connected.put(lease.owner(), connection);
        DatapathResult told = wiring;
        return gate.thenApply(open -> told);
    }

    @Override
    public synchronized CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        if (tearDownFails) {
            return CompletableFuture.failedFuture(new IOException("RTNETLINK answers: Device or resource busy"));
        }
        return way.thenRun(() -> forget(owner));
    }

    @Override
    public synchronized CompletionStage<Boolean> adjust(Lease lease, PodNetworkSpec wishes) {
        DatapathRequest before = connected.get(lease.owner());
        if (before == null) {
            return CompletableFuture.completedFuture(false);
        }
        DatapathRequest after = new DatapathRequest(lease, before.link(), wishes);
        connected.put(lease.owner(), after);
        return CompletableFuture.completedFuture(
                !after.ingress().equals(before.ingress()) || !after.egress().equals(before.egress()));
    }

    private synchronized void forget(OwnerKey owner) {
        connected.remove(owner);
        foreign.remove(owner);
    }

    @Override
    public synchronized CompletionStage<List<Attachment>> attached() {
        if (listFails) {
            return CompletableFuture.failedFuture(new IOException("Dump was interrupted"));
        }
        Map<OwnerKey, Attachment> all = new HashMap<>();
        connected.forEach((owner, connection) -> all.put(owner, attachment(connection.lease())));
        all.putAll(foreign);
        return CompletableFuture.completedFuture(new ArrayList<>(all.values()));
    }

    private Attachment attachment(Lease lease) {
        return new Attachment(
                lease.owner(),
                tellsPods ? Optional.of(lease.pod()) : Optional.empty(),
                tellsPods ? lease.podUid() : "",
                lease.resource().addresses().stream().map(Address::ip).collect(Collectors.toSet()));
    }
}
