package io.enipam.daemon.terway;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.StandIn;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * GetIPInfo: the first thing that the plugin asks on a DEL, to know how the pod is to be disconnected. A call that fails here ends the
 * DEL before anything is released, so that it needs no API server, and a sandbox that nobody knows is answered, too: as one of the
 * present mode.
 *
 * <p>One DEL is stopped here: that of a sandbox whose pod has a newer one. The plugin names links by the pod alone, so that its ADD of the
 * newer sandbox has cut this one off, and its DEL would look for the newer one's link. Its address is given back all the same.
 */
final class Information {
    private final TerwayDesk desk;
    private final CidrSandboxes sandboxes;

    Information(TerwayDesk desk, CidrSandboxes sandboxes) {
        this.desk = desk;
        this.sandboxes = sandboxes;
    }

    CompletionStage<GetInfoReply> of(GetInfoRequest request) {
        Sandbox sandbox = Sandbox.of(request);
        if (desk.engine().status().phase() == EngineStatus.Phase.NEW) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN, "the daemon is starting and knows no sandbox yet", "try again");
        }
        Optional<Lease> lease = desk.leasesOf(sandbox.container()).stream().findFirst();
        Optional<Lease> newer = newer(sandbox, lease);
        if (newer.isPresent()) {
            return replaced(sandbox, lease, newer.get());
        }
        return CompletableFuture.completedStage(lease.map(this::told).orElseGet(() -> unknown(sandbox)));
    }

    private GetInfoReply unknown(Sandbox sandbox) {
        Optional<String> cidr = sandboxes.find(sandbox.container());
        if (cidr.isPresent()) {
            return ofCidr(cidr.get());
        }
        IPType usual = Types.usual(desk.engine());
        return usual == IPType.TypeVPCIP
                ? ofCidr(CidrAllocation.cidr(desk))
                : GetInfoReply.newBuilder()
                        .setIPType(usual)
                        .setPodConfig(Pod.getDefaultInstance())
                        .build();
    }

    /** What another sandbox of the pod has, if it has had it for a shorter time, or this one has nothing. */
    private Optional<Lease> newer(Sandbox sandbox, Optional<Lease> own) {
        String network = desk.config().get().network();
        return desk.engine().leasesOf(sandbox.pod()).stream()
                .filter(lease -> lease.owner().network().equals(network) && !StandIn.is(lease.owner()))
                .filter(lease -> !lease.owner().containerId().equals(sandbox.container()))
                .filter(lease ->
                        own.isEmpty() || lease.since().isAfter(own.get().since()))
                .findFirst();
    }

    private CompletionStage<GetInfoReply> replaced(Sandbox sandbox, Optional<Lease> own, Lease newer) {
        CompletionStage<?> released = own.isPresent()
                ? desk.engine().del(own.get().owner(), "terway")
                : CompletableFuture.completedStage(null);
        return released.thenApply(done -> {
            throw new IpamException(
                    ErrorCode.NOT_AGREED,
                    "container " + sandbox.container() + " of pod " + sandbox.pod() + " was replaced by "
                            + newer.owner().containerId()
                            + ", whose link terway's plugin would take for this one's",
                    "nothing is left to be done: the address of the former container is given back, and its link went when"
                            + " the newer one was connected");
        });
    }

    private GetInfoReply told(Lease lease) {
        IPType type = Types.of(lease.resource());
        GetInfoReply.Builder reply =
                GetInfoReply.newBuilder().setIPType(type).setPodConfig(Allocation.limits(desk, lease.owner()));
        Ipv4.of(lease.resource()).ifPresent(address -> {
            reply.setPodIP(address.host());
            if (type == IPType.TypeVPCIP) {
                reply.setNodeCidr(Ipv4.subnet(address));
            }
        });
        return reply.build();
    }

    private static GetInfoReply ofCidr(String cidr) {
        return GetInfoReply.newBuilder()
                .setIPType(IPType.TypeVPCIP)
                .setPodConfig(Pod.getDefaultInstance())
                .setNodeCidr(cidr)
                .build();
    }
}
