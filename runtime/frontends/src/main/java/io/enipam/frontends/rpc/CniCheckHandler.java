package io.enipam.frontends.rpc;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.GetCniStatusReply;
import io.grpc.stub.StreamObserver;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * CNI CHECK and CNI STATUS (specification 1.1.0). Neither changes anything. CHECK holds a lease against what every source says of
 * it; a source that cannot be asked fails nobody's check, and is named.
 */
final class CniCheckHandler {
    private final ServiceContext served;
    private final CniRequestReader calls;

    CniCheckHandler(ServiceContext served) {
        this.served = served;
        this.calls = new CniRequestReader(served);
    }

    void check(CheckCniRequest request, StreamObserver<CheckCniReply> observer) {
        UnaryReplies.async(observer, () -> check(request), reply -> reply);
    }

    private CompletionStage<CheckCniReply> check(CheckCniRequest request) {
        OwnerKey owner = calls.ownerToCheck(request);
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
        return served.comparing()
                .look(SourceComparison.Patience.IN_PASSING, difference -> concerns(lease.get(), difference))
                .thenCombine(links(owner), (outcome, links) -> reply(lease.get(), outcome, links));
    }

    /** What is wrong with the pod's links, rules and routes; nothing where they are not this daemon's. No other pod is looked at. */
    private CompletionStage<List<CniFinding>> links(OwnerKey owner) {
        return served.kernel()
                .real()
                .map(real -> served.kernel()
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
                .setLease(LeaseMapper.lease(lease))
                .addAllFindings(findings)
                .build();
    }

    private static CniFinding known(SourceReply<?> reply, Lease lease, SourceComparison.Outcome outcome) {
        Optional<Difference> wrong = outcome.differences().stream()
                .filter(difference -> difference.involves(reply.source()))
                .findFirst();
        if (wrong.isPresent()) {
            return finding(reply.source(), "WRONG", wrong.get().what());
        }
        return finding(reply.source(), "OK", said(reply, lease));
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
        AddReadiness.Result verdict = served.readiness().evaluateForRuntime();
        return GetCniStatusReply.newBuilder()
                .setReady(verdict.reasons().isEmpty())
                .setCode(verdict.code())
                .addAllReasons(verdict.reasons())
                .build();
    }
}
