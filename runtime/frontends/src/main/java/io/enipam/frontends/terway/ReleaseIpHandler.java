package io.enipam.frontends.terway;

import io.enipam.config.Schema;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.node.kernel.NodeView;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.ReleaseIPReply;
import io.enipam.terway.rpc.ReleaseIPRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ReleaseIP: ends what this very sandbox holds. A sandbox that holds nothing, or is another pod's, is success and changes nothing, so
 * that a late call for an old sandbox takes nothing from the new one of the same name.
 */
record ReleaseIpHandler(TerwayContext context, ActiveAllocations underway, CidrSandboxStore sandboxes) {
    /** The interface that every runtime asks for, and the only one that has a stray of a former life. */
    private static final String USUAL_INTERFACE = "eth0";

    private static final Logger LOG = LoggerFactory.getLogger(ReleaseIpHandler.class);

    CompletionStage<ReleaseIPReply> release(ReleaseIPRequest request) {
        return release(SandboxRef.of(request));
    }

    /** Fails if something of the sandbox could not be ended; a call that is repeated finds the same then. */
    CompletionStage<ReleaseIPReply> release(SandboxRef sandbox) {
        List<CompletableFuture<DelOutcome>> ends = owners(sandbox).stream()
                .map(owner -> context.engine().del(owner, "terway"))
                .toList();
        return CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    // only now: a call that failed is made again, and has to find the same
                    releaseOfCidr(sandbox);
                    underway.released(sandbox.container());
                    List<Lease> ended = new ArrayList<>();
                    ends.forEach(end -> end.join().released().ifPresent(ended::add));
                    return reply(ended.stream().findFirst());
                });
    }

    /** The plugin gives an address of the CIDR back before it calls; what it left is given back here. */
    private void releaseOfCidr(SandboxRef sandbox) {
        if (sandboxes.find(sandbox.container()).isPresent() || IpTypes.usual(context.engine()) == IPType.TypeVPCIP) {
            AddressFileStore files = context.network().addresses();
            try {
                if (files.owners().values().stream()
                        .anyMatch(owner -> !owner.ours() && owner.containerId().equals(sandbox.container()))) {
                    try (AddressFileStore.LockHandle held = files.lock()) {
                        files.release(sandbox.container());
                    }
                }
            } catch (IOException e) {
                throw new IpamException(
                        ErrorCode.STORE_FAILED,
                        "the address of container " + sandbox.container() + " cannot be given back: " + e.getMessage(),
                        "see to the directory " + files.location(),
                        e);
            }
        }
        sandboxes.forget(sandbox.container(), sandbox.pod());
    }

    private Set<OwnerKey> owners(SandboxRef sandbox) {
        String network = context.config().get().get(Schema.NETWORK);
        Set<OwnerKey> owners = new TreeSet<>();
        owners.add(new OwnerKey(network, sandbox.container(), USUAL_INTERFACE));
        owners.addAll(underway.of(sandbox.container()));
        context.leasesOf(sandbox.container()).stream().map(Lease::owner).forEach(owners::add);
        owners.removeIf(owner -> context.engine()
                .lease(owner)
                .filter(lease -> !lease.pod().equals(sandbox.pod()) && !PlaceholderPod.is(lease.pod()))
                .isPresent());
        return owners;
    }

    private ReleaseIPReply reply(Optional<Lease> ended) {
        ReleaseIPReply.Builder reply = ReleaseIPReply.newBuilder().setSuccess(true);
        ended.map(Lease::resource).ifPresent(resource -> {
            IpTypes.ipv4(resource).map(Address::host).ifPresent(reply::setIPv4Addr);
            reply.setDeviceNumber(device(context.node(), resource));
        });
        return reply.build();
    }

    private static int device(NodeView node, Resource resource) {
        String mac = resource.attributes().getOrDefault(Resource.MAC, "");
        try {
            return mac.isEmpty() ? 0 : node.linkOf(mac).orElse(0);
        } catch (IOException e) {
            LOG.debug("the link of {} is not told", mac, e);
            return 0;
        }
    }
}
