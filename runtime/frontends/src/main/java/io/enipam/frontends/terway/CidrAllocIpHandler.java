package io.enipam.frontends.terway;

import io.enipam.engine.EngineStatus;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.frontends.terway.AllocIpHandler.AllocIpResult;
import io.enipam.sdk.PodRef;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import io.enipam.terway.rpc.VPCIP;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * AllocIP in mode VPC. The plugin executes host-local itself, with the CIDR of the reply, and the pool lends nothing:
 * otherwise two allocators would manage one address. Only the CIDR that the sandbox got is kept, for its DEL.
 */
final class CidrAllocIpHandler {
    private static final long API_SERVER_SECONDS = 5;

    private final TerwayContext context;
    private final ActiveAllocations underway;
    private final CidrSandboxStore sandboxes;

    CidrAllocIpHandler(TerwayContext context, ActiveAllocations underway, CidrSandboxStore sandboxes) {
        this.context = context;
        this.underway = underway;
        this.sandboxes = sandboxes;
    }

    CompletionStage<AllocIpResult> allocate(SandboxRef sandbox) {
        if (context.engine().status().phase() != EngineStatus.Phase.READY) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN, "the daemon is starting or stopping and serves no AllocIP yet", "try again");
        }
        String cidr = cidr(context);
        return context.pods()
                .find(sandbox.pod())
                .toCompletableFuture()
                .orTimeout(API_SERVER_SECONDS, TimeUnit.SECONDS)
                .handle((found, failure) -> failure == null
                        ? known(sandbox.pod(), found)
                        : unanswered(sandbox.pod(), Stages.cause(failure)))
                .thenApply(wishes -> given(sandbox, cidr, wishes));
    }

    /** The CIDR that the plugin is to give to host-local. */
    static String cidr(TerwayContext context) {
        return context.network()
                .nodeCidr()
                .get()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "the node's CIDR is not known: the cluster has not said it yet",
                        "see that the API server answers and the node has spec.podCIDR"));
    }

    private PodNetworkSpec known(PodRef ref, Optional<io.enipam.engine.model.Pod> found) {
        if (found.isEmpty() || found.get().finished()) {
            throw new IpamException(
                    ErrorCode.POD_GONE,
                    "pod " + ref + (found.isPresent() ? " has finished" : " does not exist"),
                    "nothing is left to be done for it");
        }
        context.pods().refusal(found.get()).ifPresent(why -> {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "pod " + ref + " gets nothing on this node: " + why,
                    "run it on a node that can serve it, or change what it asks for");
        });
        return found.get().wishes();
    }

    private PodNetworkSpec unanswered(PodRef ref, Throwable why) {
        String reason = why.getMessage() == null ? "no answer in time" : why.getMessage();
        if (!context.pods().allowsUnknownPods()) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "pod " + ref + " could not be looked up (" + reason + ")",
                    "see that the " + context.pods().source()
                            + " answers, or let kubernetes.trust_calls be true to go by the call alone");
        }
        Optional<PodNetworkSpec> heard = context.pods().lastKnown(ref).map(io.enipam.engine.model.Pod::wishes);
        context.events()
                .warning(
                        "PodLookupFailed",
                        ref.toString(),
                        "the pod could not be looked up (" + reason + "): going by "
                                + (heard.isPresent()
                                        ? "what was heard of it last"
                                        : "the call's own parameters, without limits of its bandwidth"));
        return heard.orElse(PodNetworkSpec.NONE);
    }

    private AllocIpResult given(SandboxRef sandbox, String cidr, PodNetworkSpec wishes) {
        boolean repeated = sandboxes.find(sandbox.container()).isPresent();
        sandboxes.remember(sandbox.container(), cidr);
        sandboxes.rememberNewest(sandbox.pod(), sandbox.container());
        AllocIpHandler.connecting(underway, sandbox.container(), sandbox.pod());
        AllocIPReply reply = AllocIPReply.newBuilder()
                .setSuccess(true)
                .setIPType(IPType.TypeVPCIP)
                .setVpcIp(VPCIP.newBuilder()
                        .setPodConfig(Pod.newBuilder()
                                .setIngress(wishes.ingress().orElse(0))
                                .setEgress(wishes.egress().orElse(0)))
                        .setNodeCidr(cidr))
                .build();
        return new AllocIpResult(reply, () -> {
            if (!repeated) {
                underway.released(sandbox.container());
                sandboxes.forget(sandbox.container(), sandbox.pod());
            }
            return CompletableFuture.completedStage(null);
        });
    }
}
