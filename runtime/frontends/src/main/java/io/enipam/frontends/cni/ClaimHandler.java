package io.enipam.frontends.cni;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.spec.CniClaim;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.ResultJson;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Grant;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.ledger.HeldGrant;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Serves the calls of networks that name an extension as their allocator ({@code ipam.allocator}): as an IPAM plugin does,
 * whether it is called for the network itself or as another plugin's delegate. No pool and no kernel takes part. Thread-safe.
 *
 * @param allocator the extension's name
 */
record ClaimHandler(CniContext context, EventSink events, String allocator) {
    byte[] serve(CniVariables variables, NetConf conf) {
        switch (variables.command()) {
            case ADD -> {
                return add(variables, conf);
            }
            case DEL -> del(CniClaim.owner(variables, conf));
            case CHECK -> check(variables, conf);
            case GC -> gc(conf);
            case STATUS -> status();
            case VERSION -> throw new IllegalStateException("answered before");
        }
        return new byte[0];
    }

    private byte[] add(CniVariables variables, NetConf conf) {
        Duration patience = context.longestAdd();
        CniClaim claim = CniClaim.read(variables, conf, Instant.now().plus(patience));
        CniResult.Dns dns = conf.dns();
        OwnerKey owner = CniClaim.owner(variables, conf);
        Grant grant = new Deadline(patience)
                .outcome(
                        context.claims().meters().add().measured(() -> granted(claim, owner, variables.netns())),
                        "the ADD");
        return ResultJson.result(CniResult.of(grant, dns), conf.version());
    }

    private CompletableFuture<Grant> granted(CniClaim claim, OwnerKey owner, String netns) {
        Trace trace = begun(Trace.Operation.ADD, Optional.of(owner), claim.pod());
        trace.with("by", CniHandler.BY).with("netns", netns).with("extension", allocator);
        CompletableFuture<Grant> granted = claims().allocate(allocator, claim, () -> described(claim, trace), trace)
                .whenComplete((grant, failure) -> {
                    if (failure == null) {
                        trace.with("granted", Claims.text(grant)).done();
                    } else if (Stages.cause(failure) instanceof IpamException refusal) {
                        trace.failed(refusal.code().name(), refusal.getMessage(), refusal.hint());
                    }
                });
        return Stages.traced(trace, granted);
    }

    /** With what is known of its pod. In a sandbox there is the pod from now on. */
    private CompletableFuture<Claim> described(CniClaim claim, Trace trace) {
        return claim.pod()
                .map(pod -> {
                    String uid = claims().held(allocator, claim.id())
                            .map(HeldGrant::uid)
                            .filter(known -> !known.isEmpty())
                            .orElse(claim.subject().uid());
                    context.pods().admit(pod, uid);
                    return context.engine()
                            .describe(pod, claim.subject().uid(), trace)
                            .<Claim>thenApply(found -> found.map(claim::about).orElse(claim));
                })
                .orElseGet(() -> CompletableFuture.completedFuture(claim));
    }

    private void del(OwnerKey owner) {
        ClaimId claim = CniClaim.id(owner);
        Optional<PodRef> pod = held(claim).flatMap(known -> ServedClaim.podOf(known.kind(), known.owner()));
        Trace trace = begun(Trace.Operation.DEL, Optional.of(owner), pod);
        trace.with("by", CniHandler.BY).with("extension", allocator);
        CompletableFuture<Boolean> released = context.claims()
                .meters()
                .del()
                .measured(() -> Stages.traced(
                        trace, claims().release(allocator, claim, trace).whenComplete((ended, failure) -> {
                            if (failure == null && !ended) {
                                trace.with("held", "nothing");
                            }
                        })));
        new Deadline(CniHandler.LONGEST).outcome(released, "the DEL");
    }

    private Trace begun(Trace.Operation operation, Optional<OwnerKey> owner, Optional<PodRef> pod) {
        return context.claims().traces().begin(operation, new TraceSink.Subject(owner, pod, "", List.of()));
    }

    private Claims claims() {
        return context.claims().claims();
    }

    private void check(CniVariables variables, NetConf conf) {
        OwnerKey owner = CniClaim.owner(variables, conf);
        Grant grant = held(CniClaim.id(owner))
                .flatMap(HeldGrant::grant)
                .orElseThrow(() -> new CniException(
                        CniErrorCode.UNKNOWN_CONTAINER,
                        "container " + owner.containerId() + " has nothing of allocator " + allocator + " on interface "
                                + owner.ifName() + " of network " + owner.network(),
                        ""));
        Set<String> told = conf.previous().map(CniResult::addresses).orElse(List.of()).stream()
                .map(CniResult.Ip::address)
                .collect(Collectors.toSet());
        grant.prefixes().stream()
                .map(Prefix::address)
                .filter(address -> conf.previous().isPresent() && !told.contains(address.toString()))
                .findFirst()
                .ifPresent(address -> {
                    throw new CniException(
                            CniErrorCode.KERNEL,
                            "address " + address + " of container " + owner.containerId()
                                    + " is not among the ips of prevResult",
                            "");
                });
    }

    private Optional<HeldGrant> held(ClaimId claim) {
        try {
            return claims().held(allocator, claim);
        } catch (IpamException e) {
            throw CniException.of(e);
        }
    }

    /** As for leases: without a list nothing is done, and what came after the call, or is being served, is spared. */
    private void gc(NetConf conf) {
        Optional<Set<OwnerKey>> valid = conf.attachments();
        if (valid.isEmpty()) {
            return;
        }
        Instant asked = Instant.now();
        Deadline deadline = new Deadline(CniHandler.LONGEST);
        List<ServedClaim> stale = claims().all().stream()
                .filter(served -> served.extension().equals(allocator))
                .filter(served -> served.owner()
                        .filter(owner -> owner.network().equals(conf.name()))
                        .filter(owner -> !valid.get().contains(owner))
                        .isPresent())
                .filter(served -> !served.held().since().isAfter(asked))
                .toList();
        List<String> problems = new ArrayList<>();
        for (ServedClaim served : stale) {
            try {
                deadline.requireTime("the release");
                deadline.outcome(end(served), "the release");
            } catch (CniException e) {
                problems.add(served.held().claim() + ": " + e.getMessage());
            }
        }
        int ended = stale.size() - problems.size();
        if (ended > 0) {
            events.info(
                    "CniGcEnded",
                    "cni",
                    "GC ended " + ended + " claims of network " + conf.name() + " on allocator " + allocator
                            + ": the runtime calls "
                            + valid.get().size() + " sandboxes valid");
        }
        if (!problems.isEmpty()) {
            throw new CniException(
                    CniErrorCode.GC_INCOMPLETE,
                    "of network " + conf.name() + ", " + ended + " claims ended, and " + problems.size()
                            + " could not be",
                    String.join("; ", problems));
        }
    }

    private CompletableFuture<Boolean> end(ServedClaim served) {
        Trace trace = begun(Trace.Operation.DEL, served.owner(), served.pod());
        trace.with("by", CniHandler.BY + " gc").with("extension", allocator);
        return Stages.traced(trace, claims().end(served, trace));
    }

    private void status() {
        claims().trouble(allocator).ifPresent(why -> {
            throw new CniException(CniErrorCode.NOT_AVAILABLE, why, "'enipam plugin list' tells more");
        });
    }
}
