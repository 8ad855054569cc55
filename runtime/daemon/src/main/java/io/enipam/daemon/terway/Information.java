package io.enipam.daemon.terway;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.sdk.Family;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import java.util.Optional;

/**
 * GetIPInfo: the first thing that the plugin asks on a DEL, to know how the pod is to be disconnected. A call that fails here ends the
 * DEL before anything is released, so that it needs no API server, and a sandbox that nobody knows is answered, too: as one of the
 * present mode.
 */
final class Information {
    private final TerwayDesk desk;
    private final CidrSandboxes sandboxes;

    Information(TerwayDesk desk, CidrSandboxes sandboxes) {
        this.desk = desk;
        this.sandboxes = sandboxes;
    }

    GetInfoReply of(GetInfoRequest request) {
        Sandbox sandbox = Sandbox.of(request);
        if (desk.engine().status().phase() == EngineStatus.Phase.NEW) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN, "the daemon is starting and knows no sandbox yet", "try again");
        }
        Optional<Lease> lease = lease(sandbox);
        if (lease.isPresent()) {
            return told(lease.get());
        }
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

    private Optional<Lease> lease(Sandbox sandbox) {
        String network = desk.config().get().network();
        return desk.engine().leases().stream()
                .filter(lease -> lease.owner().containerId().equals(sandbox.container()))
                .filter(lease -> lease.owner().network().equals(network))
                .findFirst();
    }

    private GetInfoReply told(Lease lease) {
        IPType type = Types.of(lease.resource());
        GetInfoReply.Builder reply =
                GetInfoReply.newBuilder().setIPType(type).setPodConfig(Allocation.limits(desk, lease.owner()));
        lease.resource().addresses().stream()
                .filter(address -> address.family() == Family.IPV4)
                .findFirst()
                .ifPresent(address -> {
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
