package io.enipam.daemon.platform;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Attachment;
import io.enipam.engine.port.Datapath;
import io.enipam.sdk.Address;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The datapath of pods without a network namespace: there is nothing to set up. */
public final class SimulatedDatapath implements Datapath {
    private final Map<OwnerKey, Attachment> attached = new ConcurrentHashMap<>();

    @Override
    public CompletionStage<Void> setUp(Lease lease, String netns) {
        if (!netns.isEmpty()) {
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "this daemon connects no network namespaces, and was given " + netns,
                    "call without a network namespace: the pod is simulated"));
        }
        attached.put(
                lease.owner(),
                new Attachment(
                        lease.owner(),
                        Optional.of(lease.pod()),
                        lease.podUid(),
                        lease.resource().addresses().stream().map(Address::ip).collect(Collectors.toSet())));
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        attached.remove(owner);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return CompletableFuture.completedStage(List.copyOf(attached.values()));
    }
}
