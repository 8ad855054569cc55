package io.enipam.node.cluster;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Span;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes the owner of an address of the node's CIDR into the address's file before the pod is connected, and removes it
 * after the pod is disconnected: an address whose file has another owner is not allocated. An ADD takes the lock of the
 * files, and starts a process for it, only if the file was removed or emptied. Thread-safe.
 *
 * <p>If the caller connects the pod, the file names no sandbox: terway's plugin requests an address from host-local for
 * the same sandbox, and host-local refuses a sandbox that already has one.
 */
public final class OwnerRecordingDatapath implements Datapath {
    private final Datapath kernel;
    private final AddressFileStore files;
    private final EventSink events;
    private final Map<OwnerKey, String> signed = new ConcurrentHashMap<>();

    public OwnerRecordingDatapath(Datapath kernel, AddressFileStore files, Collection<Lease> leases, EventSink events) {
        this.kernel = kernel;
        this.files = files;
        this.events = events;
        for (Lease lease : leases) {
            address(lease).ifPresent(address -> signed.put(lease.owner(), address));
        }
    }

    static AddressOwner owner(OwnerKey owner) {
        return AddressOwner.sandbox(owner.containerId(), owner.ifName());
    }

    private static Optional<String> address(Lease lease) {
        return lease.resource().factory().equals(NodeCidrFactory.NAME)
                ? Optional.of(lease.resource().addresses().get(0).host())
                : Optional.empty();
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Optional<String> address = address(connection.lease());
        if (address.isEmpty()) {
            return kernel.setUp(connection, span);
        }
        OwnerKey owner = connection.lease().owner();
        try {
            sign(address.get(), connection.link().connector() == Connector.CALLER ? AddressOwner.IDLE : owner(owner));
        } catch (IOException e) {
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "address " + address.get() + " cannot be given to " + owner + ": " + e.getMessage(),
                    "see to the directory " + files.location() + "; the pod is tried again",
                    e));
        }
        signed.put(owner, address.get());
        return kernel.setUp(connection, span).whenComplete((wiring, failure) -> {
            if (failure != null) {
                unsign(owner);
            }
        });
    }

    private void sign(String address, AddressOwner owner) throws IOException {
        if (files.changeOwner(address, owner)) {
            return;
        }
        // the file was removed or emptied, or has another owner
        try (AddressFileStore.LockHandle held = files.lock()) {
            if (!files.reserve(address, owner) && !files.changeOwner(address, owner)) {
                throw new IOException("its file has become that of "
                        + files.owner(address).map(Object::toString).orElse("another"));
            }
        }
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        return kernel.tearDown(owner, span).thenRun(() -> unsign(owner));
    }

    /** A failure does not fail the DEL: the address stays taken, and the next comparison corrects its file. */
    private void unsign(OwnerKey owner) {
        String address = signed.remove(owner);
        if (address != null) {
            try {
                files.changeOwner(address, AddressOwner.IDLE);
            } catch (IOException e) {
                events.warning(
                        "NodeAddressTaken",
                        "node",
                        "the file of address " + address + " names " + owner + " still, which is gone: "
                                + e.getMessage());
            }
        }
    }

    @Override
    public CompletionStage<Boolean> adjust(Lease lease, PodNetworkSpec wishes) {
        return kernel.adjust(lease, wishes);
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return kernel.attached();
    }
}
