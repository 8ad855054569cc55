package io.enipam.frontends.terway;

import io.enipam.config.Schema;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.terway.rpc.AllocIPReply;
import io.enipam.terway.rpc.AllocIPRequest;
import io.enipam.terway.rpc.ENI;
import io.enipam.terway.rpc.ENIMultiIP;
import io.enipam.terway.rpc.IPType;
import io.enipam.terway.rpc.Pod;
import io.enipam.terway.rpc.VPCENI;
import io.enipam.terway.rpc.VPCIP;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AllocIP: an ADD whose caller connects the pod. What the contract cannot express is given back before the call fails,
 * since the plugin does not release what it never received.
 */
record AllocIpHandler(TerwayContext context, ActiveAllocations underway, CidrSandboxStore sandboxes) {
    private static final long API_SERVER_SECONDS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(AllocIpHandler.class);

    CompletionStage<AllocIpResult> allocate(AllocIPRequest request, Duration patience) {
        SandboxRef sandbox = SandboxRef.of(request);
        OwnerKey owner = sandbox.owner(context.config().get().get(Schema.NETWORK), request.getIfName());
        LinkRequest link = LinkRequest.byCaller(SandboxRef.netns(request.getNetns()));
        Optional<Lease> held = context.engine().lease(owner);
        context.pods().admit(sandbox.pod(), held.map(Lease::podUid).orElse(""));
        if (held.isEmpty() && IpTypes.usual(context.engine()) == IPType.TypeVPCIP) {
            return allocateOfCidr(sandbox);
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
        Lease lease = outcome.lease();
        String container = lease.owner().containerId();
        return new TerwayEniMapper(context)
                .of(outcome, left)
                .thenApply(eni -> {
                    connecting(container, lease.pod());
                    AllocIpResult given = given(stillHeld(outcome), eni);
                    sandboxes.rememberNewest(lease.pod(), container);
                    return given;
                })
                .exceptionallyCompose(failure -> undone(outcome, Stages.cause(failure)));
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
    private void connecting(String container, PodRef pod) {
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
        OwnerKey owner = outcome.lease().owner();
        return takenBack(outcome)
                .handle((done, error) -> {
                    if (error != null) {
                        LOG.warn("the address of {} is left to the garbage collector", owner, error);
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
        OwnerKey owner = outcome.lease().owner();
        underway.released(owner.containerId());
        sandboxes.forget(owner.containerId(), outcome.lease().pod());
        return context.engine().del(owner, "terway");
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

    /** In mode VPC the plugin runs host-local with the reply's CIDR, and the pool lends nothing: one allocator. */
    private CompletionStage<AllocIpResult> allocateOfCidr(SandboxRef sandbox) {
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
        connecting(sandbox.container(), sandbox.pod());
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

    /** @param undo gives back what this call was given, and nothing of a call before */
    record AllocIpResult(AllocIPReply reply, Supplier<CompletionStage<?>> undo) {}

    /**
     * Describes an ENI as terway's plugin of 2020 reads it: what that plugin would fail on is refused with a reason instead.
     */
    record TerwayEniMapper(TerwayContext context) {
        /** An ENI's link appears some seconds after the cloud says that it is attached. */
        private static final Duration FOR_THE_LINK = Duration.ofSeconds(15);

        /** The plugin takes a link of this index for the table main, and sets up no rules. */
        private static final int MISREAD = 254;

        private static final long LOOK_MILLIS = 100;

        /**
         * @param left how long it may take
         * @return fails with {@link IpamException}
         */
        CompletionStage<ENI> of(AddOutcome outcome, Duration left) {
            Lease lease = outcome.lease();
            Resource resource = lease.resource();
            boolean whole = IpTypes.of(resource) == IPType.TypeVPCENI;
            ENI.Builder eni;
            try {
                eni = described(resource, whole);
            } catch (IpamException e) {
                return CompletableFuture.failedStage(e);
            }
            // an ENI of the pod's own has gone into the pod by the time its ADD is repeated
            boolean gone = whole && outcome.repeated();
            Duration patience = gone ? Duration.ZERO : left.compareTo(FOR_THE_LINK) < 0 ? left : FOR_THE_LINK;
            return linkIndex(eni.getMacAddr(), patience).thenApply(index -> {
                if (index.isEmpty() && !gone) {
                    throw noLink(resource, eni.getMacAddr(), patience);
                }
                if (!whole && index.orElse(0) == MISREAD) {
                    throw datapath(
                            "the link of " + hangsOn(resource)
                                    + " has index 254, which terway's plugin takes for table main",
                            "detach and attach the ENI anew, or let enipam-cni connect pods");
                }
                return eni.setDeviceNumber(index.orElse(0)).build();
            });
        }

        private ENI.Builder described(Resource resource, boolean whole) {
            Address address = IpTypes.ipv4(resource)
                    .orElseThrow(() -> untellable(resource, "has no IPv4 address, and the contract no other"));
            String mac = attribute(resource, Resource.MAC).toLowerCase(Locale.ROOT);
            String gateway = attribute(resource, Resource.GATEWAY);
            Optional<InetAddress> node = context.node().address(Family.IPV4);
            if (node.isEmpty() && !whole) {
                throw datapath(
                        "the node's own IPv4 address is not known: no default route leads to a link that has one",
                        "run the daemon in the node's network namespace; 'ip route show default' shows what is missing");
            }
            if (context.serviceCidr().isEmpty() && whole) {
                throw datapath(
                        "the CIDR of the cluster's services is not known, and a pod with an ENI of its own needs it",
                        "set service_cidr in eni.json; 'config show' says where it would come from");
            }
            return ENI.newBuilder()
                    .setIPv4Addr(address.host())
                    .setIPv4Subnet(IpTypes.subnet(address))
                    .setMacAddr(mac)
                    .setGateway(gateway)
                    .setPrimaryIPv4Addr(node.map(InetAddress::getHostAddress).orElse(""));
        }

        private static String attribute(Resource resource, String name) {
            String value = resource.attributes().getOrDefault(name, "");
            if (value.isEmpty()) {
                throw untellable(resource, "hangs on no ENI: its factory tells no " + name);
            }
            return value;
        }

        private static IpamException untellable(Resource resource, String why) {
            return new IpamException(
                    ErrorCode.PLUGIN_FAILED,
                    "resource " + resource.id().value() + " cannot be told to terway's plugin: it " + why,
                    "let enipam-cni connect pods, or set pool.factory to eni-ip or eni");
        }

        private IpamException noLink(Resource resource, String mac, Duration waited) {
            if (!context.node().showsLinks()) {
                return datapath(
                        hangsOn(resource) + " has no link with MAC " + mac
                                + " in /sys/class/net, which shows another network namespace than the daemon's",
                        "mount a sysfs in the daemon's network namespace ('ip netns exec' does), or run the daemon in the"
                                + " node's");
            }
            return datapath(
                    hangsOn(resource) + " has no link with MAC " + mac + " in the node's network namespace after "
                            + waited.toSeconds() + " s",
                    "see 'ip link' and whether the ENI is attached ('eni list'); the daemon must run in the node's network"
                            + " namespace");
        }

        private static String hangsOn(Resource resource) {
            return "ENI " + (resource.parent().isEmpty() ? resource.id().value() : resource.parent());
        }

        private static IpamException datapath(String message, String hint) {
            return new IpamException(ErrorCode.DATAPATH_FAILED, message, hint);
        }

        /** Waits for a link that is about to appear: its index, or empty if there is none by the end of the time. */
        private CompletableFuture<OptionalInt> linkIndex(String mac, Duration patience) {
            CompletableFuture<OptionalInt> found = new CompletableFuture<>();
            context.threads().execute(() -> look(mac, System.nanoTime() + patience.toNanos(), found));
            return found;
        }

        private void look(String mac, long until, CompletableFuture<OptionalInt> found) {
            try {
                OptionalInt index = context.node().linkOf(mac);
                if (index.isPresent() || System.nanoTime() - until >= 0) {
                    found.complete(index);
                } else {
                    context.threads().schedule(() -> look(mac, until, found), LOOK_MILLIS, TimeUnit.MILLISECONDS);
                }
            } catch (IOException e) {
                found.completeExceptionally(new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "the node's links cannot be read: " + e.getMessage(),
                        "see that proc and sysfs are mounted where the daemon runs",
                        e));
            } catch (RuntimeException e) {
                found.completeExceptionally(e);
            }
        }
    }
}
