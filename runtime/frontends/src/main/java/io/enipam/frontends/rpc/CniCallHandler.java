package io.enipam.frontends.rpc;

import com.google.common.hash.Hashing;
import io.enipam.config.Schema;
import io.enipam.config.dynamic.LiveConfig;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.TimeSource;
import io.enipam.frontends.cni.NetnsGuard;
import io.enipam.frontends.cni.StaleAttachmentCleaner;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.NodePods;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.GcCollected;
import io.enipam.v1.GcReport;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * ADD, DEL and GC of the CNI for callers of the control socket: fills in what a request leaves out, and refuses what cannot be. Thread-safe.
 */
final class CniCallHandler {
    private static final String INTERFACE = "eth0";
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    private final LiveConfig config;
    private final IpamEngine engine;
    private final NodePods pods;
    private final NodeDatapath kernel;
    private final TimeSource time;

    CniCallHandler(ServiceContext served) {
        this.config = served.config();
        this.engine = served.engine();
        this.pods = served.node().pods();
        this.kernel = served.node().kernel();
        this.time = served.time();
    }

    CompletionStage<CniAddReply> add(CniAddRequest request) {
        long begun = time.nanoTime();
        AddCommand command = command(request);
        pods.admit(
                command.pod(), engine.lease(command.owner()).map(Lease::podUid).orElse(""));
        return engine.add(command)
                .thenApply(outcome -> CniAddReply.newBuilder()
                        .setLease(PoolMapper.lease(outcome.lease()))
                        .setRepeated(outcome.repeated())
                        .setTook(Proto.since(time, begun))
                        .build());
    }

    private AddCommand command(CniAddRequest request) {
        PodRef pod = GrpcFailures.pod(request.getPod());
        OwnerKey owner = owner(
                request.getNetwork(),
                request.getContainer().isEmpty() ? derivedContainer(pod) : request.getContainer(),
                request.getIfname());
        Duration timeout =
                request.hasTimeout() ? wait(request.getTimeout()) : config.now().get(Schema.ALLOCATION_TIMEOUT);
        return new AddCommand(owner, pod, link(request.getNetns()), timeout, AccessRules.caller());
    }

    CompletionStage<CniDelReply> del(CniDelRequest request) {
        long begun = time.nanoTime();
        Optional<OwnerKey> owner = ownerToEnd(request);
        CompletionStage<Optional<DelOutcome>> end = owner.isEmpty()
                ? CompletableFuture.completedStage(Optional.empty())
                : engine.del(owner.get(), AccessRules.caller()).thenApply(Optional::of);
        return end.thenApply(
                outcome -> deleted(outcome).setTook(Proto.since(time, begun)).build());
    }

    private static CniDelReply.Builder deleted(Optional<DelOutcome> outcome) {
        CniDelReply.Builder reply = CniDelReply.newBuilder();
        outcome.flatMap(DelOutcome::released).ifPresent(lease -> {
            reply.setReleased(PoolMapper.lease(lease));
            reply.setState(outcome.flatMap(DelOutcome::state)
                    .orElse(ResourceState.IDLE)
                    .name());
            outcome.flatMap(DelOutcome::hold).ifPresent(hold -> reply.setUntil(Proto.timestamp(hold.until())));
        });
        return reply;
    }

    private LinkRequest link(String netns) {
        if (netns.isEmpty()) {
            return LinkRequest.simulated();
        }
        kernel.obstacle().ifPresent(why -> {
            throw GrpcFailures.invalid(why, "call without --netns; the same path runs, but for the kernel");
        });
        try {
            NetnsGuard.check(netns, false);
        } catch (CniException e) {
            throw GrpcFailures.invalid(
                    e.getMessage().replace("CNI_NETNS", "network namespace"),
                    "'ip netns list' shows those that have names");
        }
        return LinkRequest.into(netns);
    }

    /** CNI GC: the list in the request decides which leases end. */
    CompletionStage<CniGcReply> gc(CniGcRequest request) {
        String network = request.getNetwork().isEmpty() ? config.now().get(Schema.NETWORK) : request.getNetwork();
        List<CniAttachment> valid = request.getValidList();
        if (valid.isEmpty()) {
            throw GrpcFailures.invalid(
                    "no sandbox is named as valid: all of network " + network + " would end",
                    "name those that stay with --valid; 'gc run' asks the API server which pods there are");
        }
        valid.forEach(each -> owner(network, each.getContainer(), each.getIfname()));
        Instant begun = time.now();
        long from = time.nanoTime();
        return new StaleAttachmentCleaner(engine, kernel)
                .end(
                        network,
                        owner -> valid.stream()
                                .anyMatch(each -> each.getContainer().equals(owner.containerId())
                                        && (each.getIfname().isEmpty()
                                                || each.getIfname().equals(owner.ifName()))),
                        begun,
                        request.getDryRun(),
                        AccessRules.caller())
                .thenApply(report -> CniGcReply.newBuilder()
                        .setReport(GcReport.newBuilder()
                                .setStartedAt(Proto.timestamp(begun))
                                .setTook(Proto.since(time, from))
                                .setDryRun(request.getDryRun())
                                .setExamined(report.looked())
                                .addAllCollected(report.ended().stream()
                                        .map(lease -> GcCollected.newBuilder()
                                                .setLease(PoolMapper.lease(lease))
                                                .setReason("not among the valid sandboxes")
                                                .build())
                                        .toList())
                                .addAllProblems(report.problems()))
                        .addAllDisconnected(Proto.all(report.disconnected(), PoolMapper::owner))
                        .build());
    }

    private static Duration wait(com.google.protobuf.Duration asked) {
        boolean plausible = asked.getSeconds() <= LONGEST_WAIT.toSeconds() && asked.getSeconds() >= 0;
        Duration wait = plausible ? Proto.duration(asked) : Duration.ZERO;
        if (wait.isNegative() || wait.isZero() || wait.compareTo(LONGEST_WAIT) > 0) {
            throw GrpcFailures.invalid(
                    "a timeout of " + asked.getSeconds() + " s is not above 0 and at most 10 minutes", "");
        }
        return wait;
    }

    /** Whose lease is checked: the named sandbox's, or the one that the pod has. */
    OwnerKey ownerToCheck(CheckCniRequest request) {
        OwnerKey named = owner(
                request.getNetwork(),
                request.getContainer().isEmpty()
                        ? derivedContainer(GrpcFailures.pod(request.getPod()))
                        : request.getContainer(),
                request.getIfname());
        return request.getContainer().isEmpty()
                ? ownerToEnd(CniDelRequest.newBuilder()
                                .setPod(request.getPod())
                                .setIfname(request.getIfname())
                                .setNetwork(request.getNetwork())
                                .build())
                        .orElse(named)
                : named;
    }

    /**
     * Whose lease a DEL ends; empty if the named sandbox has a lease of another pod. An owner without a lease is passed
     * on, too: the engine may be adding it right now.
     */
    Optional<OwnerKey> ownerToEnd(CniDelRequest request) {
        if (request.getPod().isEmpty() && !request.getContainer().isEmpty()) {
            return Optional.of(owner(request.getNetwork(), request.getContainer(), request.getIfname()));
        }
        PodRef pod = GrpcFailures.pod(request.getPod());
        if (!request.getContainer().isEmpty()) {
            OwnerKey owner = owner(request.getNetwork(), request.getContainer(), request.getIfname());
            boolean another =
                    engine.lease(owner).filter(l -> !l.pod().equals(pod)).isPresent();
            return another ? Optional.empty() : Optional.of(owner);
        }
        OwnerKey derived = owner(request.getNetwork(), derivedContainer(pod), request.getIfname());
        List<Lease> held = engine.leasesOf(pod).stream()
                .filter(l ->
                        request.getNetwork().isEmpty() || l.owner().network().equals(derived.network()))
                .filter(l -> request.getIfname().isEmpty() || l.owner().ifName().equals(derived.ifName()))
                .toList();
        if (held.size() > 1) {
            throw GrpcFailures.invalid(
                    "pod " + pod + " has " + held.size() + " sandboxes here: "
                            + held.stream().map(l -> l.owner().containerId()).collect(Collectors.joining(", ")),
                    "name one with --container");
        }
        return Optional.of(held.isEmpty() ? derived : held.get(0).owner());
    }

    /** The container id of a simulated sandbox without a name: the same for each call for the pod. */
    static String derivedContainer(PodRef pod) {
        return "sim-"
                + Hashing.sha256()
                        .hashString(pod.toString(), StandardCharsets.UTF_8)
                        .toString()
                        .substring(0, 12);
    }

    private OwnerKey owner(String network, String container, String ifname) {
        return GrpcFailures.checked(() -> new OwnerKey(
                network.isEmpty() ? config.now().get(Schema.NETWORK) : network,
                container,
                ifname.isEmpty() ? INTERFACE : ifname));
    }
}
