package io.enipam.frontends.terway;

import io.enipam.config.Schema;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.ENIMultiIP;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import io.enipam.terway.rpc.VPCENI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AllocIP: an ADD whose caller connects the pod. What the contract cannot express is given back before the call fails,
 * since the plugin does not release what it never received.
 */
final class AllocIpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(AllocIpHandler.class);

    private final TerwayContext context;
    private final ActiveAllocations underway;
    private final CidrSandboxStore sandboxes;
    private final TerwayEniMapper words;
    private final CidrAllocIpHandler ofCidr;

    AllocIpHandler(TerwayContext context, ActiveAllocations underway, CidrSandboxStore sandboxes) {
        this.context = context;
        this.underway = underway;
        this.words = new TerwayEniMapper(context);
        this.sandboxes = sandboxes;
        this.ofCidr = new CidrAllocIpHandler(context, underway, sandboxes);
    }

    CompletionStage<AllocIpResult> allocate(AllocIPRequest request, Duration patience) {
        SandboxRef sandbox = SandboxRef.of(request);
        OwnerKey owner = sandbox.owner(context.config().get().get(Schema.NETWORK), request.getIfName());
        LinkRequest link = LinkRequest.byCaller(SandboxRef.netns(request.getNetns()));
        Optional<Lease> held = context.engine().lease(owner);
        context.pods().admit(sandbox.pod(), held.map(Lease::podUid).orElse(""));
        if (held.isEmpty() && IpTypes.usual(context.engine()) == IPType.TypeVPCIP) {
            return ofCidr.allocate(sandbox);
        }
        long began = System.nanoTime();
        Duration wait = shorter(context.config().get().get(Schema.ALLOCATION_TIMEOUT), patience);
        underway.begins(owner);
        return context.engine()
                .add(new AddCommand(owner, sandbox.pod(), link, wait, "terway"))
                .whenComplete((outcome, failure) -> underway.ends(owner))
                .thenCompose(outcome -> told(outcome, patience.minusNanos(System.nanoTime() - began)));
    }

    private CompletionStage<AllocIpResult> told(AddOutcome outcome, Duration left) {
        return words.of(outcome, left)
                .thenApply(eni -> {
                    connecting(
                            underway,
                            outcome.lease().owner().containerId(),
                            outcome.lease().pod());
                    AllocIpResult given = given(stillHeld(outcome), eni);
                    sandboxes.rememberNewest(
                            outcome.lease().pod(), outcome.lease().owner().containerId());
                    return given;
                })
                .handle((given, failure) -> failure == null
                        ? CompletableFuture.completedStage(given)
                        : undone(outcome, Stages.cause(failure)))
                .thenCompose(stage -> stage);
    }

    /** A release, or the end of the pod, may have come while the link was waited for. */
    private AddOutcome stillHeld(AddOutcome outcome) {
        Lease lease = outcome.lease();
        if (!context.engine().lease(lease.owner()).equals(Optional.of(lease))) {
            throw released(lease.owner().containerId(), lease.pod());
        }
        return outcome;
    }

    /** From now on a DEL that finds no link gives nothing back. */
    static void connecting(ActiveAllocations underway, String container, PodRef pod) {
        if (!underway.beginsConnecting(container)) {
            throw released(container, pod);
        }
    }

    private static IpamException released(String container, PodRef pod) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                "container " + container + " of pod " + pod + " was released while its address was on the way",
                "try again if the sandbox is still wanted");
    }

    private CompletionStage<AllocIpResult> undone(AddOutcome outcome, Throwable why) {
        return takenBack(outcome)
                .handle((done, error) -> {
                    if (error != null) {
                        LOG.warn(
                                "the address of {} is left to the garbage collector",
                                outcome.lease().owner(),
                                error);
                    }
                    return null;
                })
                .thenCompose(done -> CompletableFuture.failedStage(why));
    }

    /** A call that repeats one before has nothing of its own. */
    private CompletionStage<?> takenBack(AddOutcome outcome) {
        if (outcome.repeated()) {
            return CompletableFuture.completedStage(null);
        }
        underway.released(outcome.lease().owner().containerId());
        sandboxes.forget(outcome.lease().owner().containerId(), outcome.lease().pod());
        return context.engine().del(outcome.lease().owner(), "terway");
    }

    private AllocIpResult given(AddOutcome outcome, ENI eni) {
        Lease lease = outcome.lease();
        Pod limits = limits(context, lease.owner());
        AllocIPReply.Builder reply = AllocIPReply.newBuilder().setSuccess(true);
        String services = context.serviceCidr().orElse("");
        if (IpTypes.of(lease.resource()) == IPType.TypeVPCENI) {
            reply.setIPType(IPType.TypeVPCENI)
                    .setVpcEni(VPCENI.newBuilder()
                            .setEniConfig(eni)
                            .setPodConfig(limits)
                            .setServiceCidr(services));
        } else {
            reply.setIPType(IPType.TypeENIMultiIP)
                    .setENIMultiIP(ENIMultiIP.newBuilder()
                            .setEniConfig(eni)
                            .setPodConfig(limits)
                            .setServiceCidr(services));
        }
        return new AllocIpResult(reply.build(), () -> takenBack(outcome));
    }

    /** The pod's bandwidth limits as far as this process knows them; in bytes a second. */
    static Pod limits(TerwayContext context, OwnerKey owner) {
        Optional<DatapathRequest> connection = context.kernel().byCaller(owner);
        return Pod.newBuilder()
                .setIngress(connection.map(c -> c.ingress().orElse(0)).orElse(0L))
                .setEgress(connection.map(c -> c.egress().orElse(0)).orElse(0L))
                .build();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * What an allocation came to.
     *
     * @param reply for the plugin
     * @param undo gives back what this call was given, and nothing of a call before
     */
    record AllocIpResult(AllocIPReply reply, Supplier<CompletionStage<?>> undo) {
        CompletionStage<?> takeBack() {
            return undo.get();
        }
    }
}
