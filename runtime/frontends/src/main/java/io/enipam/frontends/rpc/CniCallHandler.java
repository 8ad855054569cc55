package io.enipam.frontends.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import io.enipam.config.Schema;
import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.DelProcedure.DelOutcome;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.NetnsGuard;
import io.enipam.frontends.cni.StaleAttachmentCleaner;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.GcReport;
import io.enipam.v1.GetCniStatusReply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The calls of the CNI for callers of the control socket. ADD, DEL and GC fill in what a request leaves out, and refuse what cannot be.
 * CHECK and STATUS (specification 1.1.0) change nothing: CHECK holds a lease against what every source says of it; a source that cannot
 * be read fails no check, and is named in the reply. Thread-safe.
 */
record CniCallHandler(ServiceContext served, ServiceContext.Node node) {
    private static final String INTERFACE = "eth0";
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    CompletionStage<AddOutcome> add(CniAddRequest request) {
        AddCommand command = command(request);
        node.pods()
                .admit(
                        command.pod(),
                        served.engine()
                                .lease(command.owner())
                                .map(Lease::podUid)
                                .orElse(""));
        return served.engine().add(command);
    }

    private AddCommand command(CniAddRequest request) {
        PodRef pod = GrpcFailures.pod(request.getPod());
        OwnerKey owner = owner(
                request.getNetwork(),
                request.getContainer().isEmpty() ? derivedContainer(pod) : request.getContainer(),
                request.getIfname());
        Duration timeout = request.hasTimeout()
                ? wait(request.getTimeout())
                : served.config().now().get(Schema.ALLOCATION_TIMEOUT);
        return new AddCommand(owner, pod, link(request.getNetns()), timeout, AccessRules.caller());
    }

    CompletionStage<CniDelReply> del(CniDelRequest request) {
        Optional<OwnerKey> owner = ownerToEnd(request);
        CompletionStage<Optional<DelOutcome>> end = owner.isEmpty()
                ? CompletableFuture.completedStage(Optional.empty())
                : served.engine().del(owner.get(), AccessRules.caller()).thenApply(Optional::of);
        return end.thenApply(CniCallHandler::deleted);
    }

    private static CniDelReply deleted(Optional<DelOutcome> outcome) {
        CniDelReply.Builder reply = CniDelReply.newBuilder();
        outcome.filter(ended -> ended.released().isPresent()).ifPresent(ended -> {
            Proto.fill(reply.setState(ended.state().orElse(ResourceState.IDLE).name()), ended);
            ended.hold().ifPresent(hold -> reply.setUntil(Proto.timestamp(hold.until())));
        });
        return reply.build();
    }

    private LinkRequest link(String netns) {
        if (netns.isEmpty()) {
            return LinkRequest.simulated();
        }
        node.kernel().obstacle().ifPresent(why -> {
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
        String network =
                request.getNetwork().isEmpty() ? served.config().now().get(Schema.NETWORK) : request.getNetwork();
        List<CniAttachment> valid = request.getValidList();
        if (valid.isEmpty()) {
            throw GrpcFailures.invalid(
                    "no sandbox is named as valid: all of network " + network + " would end",
                    "name those that stay with --valid; 'gc run' asks the API server which pods there are");
        }
        valid.forEach(each -> owner(network, each.getContainer(), each.getIfname()));
        Predicate<OwnerKey> stays = owner -> valid.stream()
                .anyMatch(each -> each.getContainer().equals(owner.containerId())
                        && (each.getIfname().isEmpty() || each.getIfname().equals(owner.ifName())));
        Instant begun = served.time().now();
        long from = served.time().nanoTime();
        return new StaleAttachmentCleaner(served.engine(), node.kernel())
                .end(network, stays, begun, request.getDryRun(), AccessRules.caller())
                .thenApply(report -> {
                    CniGcReply.Builder reply = CniGcReply.newBuilder();
                    GcReport.Builder wire = reply.getReportBuilder()
                            .setStartedAt(Proto.timestamp(begun))
                            .setTook(Proto.duration(
                                    Duration.ofNanos(served.time().nanoTime() - from)))
                            .setDryRun(request.getDryRun())
                            .setExamined(report.looked())
                            .addAllProblems(report.problems());
                    report.ended()
                            .forEach(lease -> wire.addCollectedBuilder()
                                    .setLease(PoolMapper.lease(lease))
                                    .setReason("not among the valid sandboxes"));
                    return Proto.fill(reply, report).build();
                });
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
    private OwnerKey ownerToCheck(CheckCniRequest request) {
        if (!request.getContainer().isEmpty()) {
            return owner(request.getNetwork(), request.getContainer(), request.getIfname());
        }
        CniDelRequest ofPod = CniDelRequest.newBuilder()
                .setPod(request.getPod())
                .setIfname(request.getIfname())
                .setNetwork(request.getNetwork())
                .build();
        return ownerToEnd(ofPod).orElseThrow();
    }

    /** Whose lease a DEL ends; empty if the sandbox's is another pod's. One without a lease may be getting it now. */
    private Optional<OwnerKey> ownerToEnd(CniDelRequest request) {
        if (request.getPod().isEmpty() && !request.getContainer().isEmpty()) {
            return Optional.of(owner(request.getNetwork(), request.getContainer(), request.getIfname()));
        }
        PodRef pod = GrpcFailures.pod(request.getPod());
        if (!request.getContainer().isEmpty()) {
            OwnerKey owner = owner(request.getNetwork(), request.getContainer(), request.getIfname());
            boolean another = served.engine()
                    .lease(owner)
                    .filter(l -> !l.pod().equals(pod))
                    .isPresent();
            return another ? Optional.empty() : Optional.of(owner);
        }
        OwnerKey derived = owner(request.getNetwork(), derivedContainer(pod), request.getIfname());
        List<Lease> held = served.engine().leasesOf(pod).stream()
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
    private static String derivedContainer(PodRef pod) {
        return "sim-"
                + Hashing.sha256().hashString(pod.toString(), UTF_8).toString().substring(0, 12);
    }

    private OwnerKey owner(String network, String container, String ifname) {
        return GrpcFailures.checked(() -> new OwnerKey(
                network.isEmpty() ? served.config().now().get(Schema.NETWORK) : network,
                container,
                ifname.isEmpty() ? INTERFACE : ifname));
    }

    CompletionStage<CheckCniReply> check(CheckCniRequest request) {
        OwnerKey owner = ownerToCheck(request);
        Optional<Lease> lease = served.engine()
                .lease(owner)
                .filter(found -> found.pod().toString().equals(request.getPod()));
        if (lease.isEmpty()) {
            return CompletableFuture.completedFuture(CheckCniReply.newBuilder()
                    .addFindings(finding(
                            "lease",
                            "WRONG",
                            "pod " + request.getPod() + " has no lease for container " + owner.containerId()
                                    + " and interface " + owner.ifName()))
                    .build());
        }
        return node.comparing()
                .look(SourceComparison.Patience.IN_PASSING, difference -> concerns(lease.get(), difference))
                .thenCombine(links(owner), (outcome, links) -> reply(lease.get(), outcome, links));
    }

    /** What is wrong with the pod's links, rules and routes; nothing where they are not this daemon's. No other pod is looked at. */
    private CompletionStage<List<CniFinding>> links(OwnerKey owner) {
        return node.kernel()
                .real()
                .map(real -> node.kernel()
                        .unusable()
                        .map(why -> CompletableFuture.<List<KernelFault>>failedStage(new IllegalStateException(why)))
                        .orElseGet(() -> real.faults(owner))
                        .thenApply(faults -> real.hasConnected(owner) ? faults : List.<KernelFault>of()))
                .orElseGet(() -> CompletableFuture.completedStage(List.of()))
                .thenApply(faults -> faults.stream()
                        .map(fault -> finding(fault.part().name().toLowerCase(Locale.ROOT), "WRONG", fault.what()))
                        .toList())
                .exceptionally(unread -> List.of(finding(
                        "links", "UNKNOWN", String.valueOf(Stages.cause(unread).getMessage()))));
    }

    private static CheckCniReply reply(Lease lease, SourceComparison.Outcome outcome, List<CniFinding> links) {
        List<CniFinding> findings = new ArrayList<>();
        findings.add(finding(
                "lease",
                "OK",
                "has " + String.join(", ", hosts(lease)) + " since "
                        + lease.since().truncatedTo(ChronoUnit.SECONDS)));
        for (SourceReply<?> reply : outcome.snapshot().replies()) {
            if (reply.state() == SourceReply.State.FAILED) {
                findings.add(finding(reply.source(), "UNKNOWN", reply.why()));
            } else if (reply.known()) {
                findings.add(known(reply, lease, outcome));
            }
        }
        findings.addAll(links);
        return CheckCniReply.newBuilder()
                .setPassed(findings.stream()
                        .noneMatch(finding -> finding.getState().equals("WRONG")))
                .setLease(PoolMapper.lease(lease))
                .addAllFindings(findings)
                .build();
    }

    private static CniFinding known(SourceReply<?> reply, Lease lease, SourceComparison.Outcome outcome) {
        return outcome.differences().stream()
                .filter(difference -> difference.involves(reply.source()))
                .findFirst()
                .map(difference -> finding(reply.source(), "WRONG", difference.what()))
                .orElseGet(() -> finding(reply.source(), "OK", said(reply, lease)));
    }

    private static String said(SourceReply<?> reply, Lease lease) {
        Set<String> hosts = hosts(lease);
        return reply.statements().stream()
                .filter(statement -> hosts.stream().anyMatch(statement::about)
                        || statement.owner().equals(Optional.of(lease.owner())))
                .map(Statement::words)
                .findFirst()
                .orElse("says nothing against it");
    }

    private static boolean concerns(Lease lease, Difference difference) {
        return difference.owner().equals(Optional.of(lease.owner()))
                || hosts(lease).stream().anyMatch(difference.addresses()::contains);
    }

    private static Set<String> hosts(Lease lease) {
        return lease.resource().addresses().stream().map(Address::host).collect(Collectors.toSet());
    }

    private static CniFinding finding(String what, String state, String detail) {
        return CniFinding.newBuilder()
                .setWhat(what)
                .setState(state)
                .setDetail(detail)
                .build();
    }

    GetCniStatusReply status() {
        Troubles.Found found = served.troubles().findForRuntime();
        return GetCniStatusReply.newBuilder()
                .setReady(found.stoppingAdds().isEmpty())
                .setCode(found.code())
                .addAllReasons(Proto.all(found.stoppingAdds(), Trouble::text))
                .addAllTroubles(Proto.all(found.troubles(), StatusHandler::trouble))
                .build();
    }
}
