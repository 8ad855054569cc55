package io.enipam.frontends.terway;

import io.enipam.config.Schema;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.GetInfoReply;
import io.enipam.terway.rpc.GetInfoRequest;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * GetIPInfo: the first call of the plugin's DEL, whose answer decides how the plugin disconnects the pod. An answer
 * with {@code TypeENIMultiIP} and no pod IP is the one with which the plugin of 2020 returns success and touches
 * nothing, in every mode; with any other answer it looks for the pod's link and fails where there is none. A call that
 * fails here ends the DEL before anything is released, so that it needs no API server, and a sandbox that the daemon
 * does not know is answered, too.
 *
 * <p>The plugin names the node's end of a veth by the pod alone ({@link SandboxRef#vethName}). Its ADD of a newer
 * sandbox therefore removes the link of the former one, and a DEL of the former one would find the newer one's link.
 * What is answered:
 *
 * <ul>
 *   <li>The sandbox was replaced by a newer one of its pod: nothing is left to be disconnected. What it has is released
 *       here. Only a NIC that is in the former namespace is still moved out by the plugin, which finds it there by
 *       itself.
 *   <li>The sandbox has a lease: the lease's address, as long as its link is there or the plugin may be making it;
 *       released here otherwise.
 *   <li>The sandbox has no lease: if the pod's link is there, terway's own daemon served its ADD, and the answer is as
 *       that daemon's; nothing is left otherwise.
 * </ul>
 */
record GetIpInfoHandler(
        TerwayContext context, ActiveAllocations underway, CidrSandboxStore sandboxes, ReleaseIpHandler release) {
    /** How the kernel's slaves of ENIs begin that the plugin makes for pods on ipvlan: such pods have no veth. */
    private static final String SLAVE = "ipvl_";

    /**
     * For a link that no route leads through: the plugin of veths parses the pod's address and takes it from the
     * namespace.
     */
    private static final String ANY_ADDRESS = "0.0.0.0";

    CompletionStage<GetInfoReply> of(GetInfoRequest request) {
        SandboxRef sandbox = SandboxRef.of(request);
        if (context.engine().status().phase() == EngineStatus.Phase.NEW) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN, "the daemon is starting and knows no sandbox yet", "try again");
        }
        Optional<Lease> lease = context.leasesOf(sandbox.container()).stream().findFirst();
        try {
            return of(sandbox, lease);
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "whether pod " + sandbox.pod() + " is connected cannot be seen: " + e.getMessage(),
                    "run the daemon in the node's network namespace, with its /proc and /sys",
                    e);
        }
    }

    private CompletionStage<GetInfoReply> of(SandboxRef sandbox, Optional<Lease> lease) throws IOException {
        if (wasReplaced(sandbox, lease)) {
            return lease.isPresent() && hasItsNic(lease.get())
                    ? CompletableFuture.completedStage(told(lease.get()))
                    : ended(sandbox);
        }
        if (!isConnected(sandbox, lease)) {
            if (lease.isEmpty() && sandboxes.find(sandbox.container()).isEmpty()) {
                return ended(sandbox);
            }
            if (underway.beginsEnding(sandbox.container())) {
                return ended(sandbox).whenComplete((reply, failure) -> underway.ended(sandbox.container()));
            }
        }
        return CompletableFuture.completedStage(lease.isPresent() ? told(lease.get()) : unknown(sandbox));
    }

    private String veth(SandboxRef sandbox) {
        return SandboxRef.vethName(context.config().get().get(Schema.TERWAY_VETH_PREFIX), sandbox.pod());
    }

    private boolean isConnected(SandboxRef sandbox, Optional<Lease> lease) throws IOException {
        if (lease.isPresent() && IpTypes.of(lease.get().resource()) == IPType.TypeVPCENI) {
            return hasItsNic(lease.get());
        }
        Optional<Address> address = lease.map(Lease::resource).flatMap(IpTypes::ipv4);
        return context.node().hasLink(veth(sandbox))
                || address.isPresent()
                        && context.node()
                                .hostRoutes()
                                .getOrDefault(address.get().host(), "")
                                .startsWith(SLAVE);
    }

    /** Whether an ENI of a pod's own has left the node's namespace. */
    private boolean hasItsNic(Lease lease) throws IOException {
        String mac = lease.resource().attributes().getOrDefault(Resource.MAC, "");
        return IpTypes.of(lease.resource()) == IPType.TypeVPCENI
                && !mac.isEmpty()
                && context.node().linkOf(mac).isEmpty();
    }

    /** Gives back what the sandbox has; then nothing is left for the plugin. */
    private CompletionStage<GetInfoReply> ended(SandboxRef sandbox) {
        return release.release(sandbox)
                .thenApply(done -> reply(IPType.TypeENIMultiIP).build());
    }

    private GetInfoReply unknown(SandboxRef sandbox) throws IOException {
        Optional<String> cidr = sandboxes.find(sandbox.container());
        IPType usual = IpTypes.usual(context.engine());
        if (cidr.isPresent() || usual == IPType.TypeVPCIP) {
            String known = cidr.orElseGet(() -> AllocIpHandler.cidr(context));
            return reply(IPType.TypeVPCIP).setNodeCidr(known).build();
        }
        return usual == IPType.TypeENIMultiIP
                ? reply(usual).setPodIP(addressBehind(veth(sandbox))).build()
                : reply(usual).build();
    }

    private String addressBehind(String link) throws IOException {
        return context.node().hostRoutes().entrySet().stream()
                .filter(route -> route.getValue().equals(link))
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst()
                .orElse(ANY_ADDRESS);
    }

    /** Whether the plugin connected the pod anew by another sandbox; by the leases where it is not recorded. */
    private boolean wasReplaced(SandboxRef sandbox, Optional<Lease> own) {
        Optional<String> newest = sandboxes.newest(sandbox.pod());
        if (newest.isPresent()) {
            return !newest.get().equals(sandbox.container());
        }
        String network = context.config().get().get(Schema.NETWORK);
        return context.engine().leasesOf(sandbox.pod()).stream()
                .filter(lease -> lease.owner().network().equals(network) && !PlaceholderPod.is(lease.owner()))
                .filter(lease -> !lease.owner().containerId().equals(sandbox.container()))
                .anyMatch(lease ->
                        own.isEmpty() || lease.since().isAfter(own.get().since()));
    }

    private GetInfoReply told(Lease lease) {
        IPType type = IpTypes.of(lease.resource());
        GetInfoReply.Builder reply = reply(type).setPodConfig(AllocIpHandler.limits(context, lease.owner()));
        IpTypes.ipv4(lease.resource()).ifPresent(address -> {
            reply.setPodIP(address.host());
            if (type == IPType.TypeVPCIP) {
                reply.setNodeCidr(IpTypes.subnet(address));
            }
        });
        return reply.build();
    }

    private static GetInfoReply.Builder reply(IPType type) {
        return GetInfoReply.newBuilder().setIPType(type).setPodConfig(Pod.getDefaultInstance());
    }
}
