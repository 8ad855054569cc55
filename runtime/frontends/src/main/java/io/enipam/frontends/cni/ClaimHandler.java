package io.enipam.frontends.cni;

import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.EventSink;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.frontends.cni.spec.CniClaim;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.CniResult;
import io.enipam.frontends.cni.spec.CniVariables;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.frontends.cni.spec.ResultJson;
import io.enipam.pluginhost.extension.Claims.ServedClaim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Prefix;
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
            case DEL ->
                outcome(context.claims().release(allocator, id(variables, conf)), CniHandler.LONGEST, "the DEL");
            case CHECK -> check(variables, conf);
            case GC -> gc(conf);
            case STATUS -> status();
            case VERSION -> throw new IllegalStateException("answered before");
        }
        return new byte[0];
    }

    private static ClaimId id(CniVariables variables, NetConf conf) {
        return CniClaim.id(CniClaim.owner(variables, conf));
    }

    private byte[] add(CniVariables variables, NetConf conf) {
        Duration configured = context.patience().get();
        Duration patience = configured.compareTo(CniHandler.LONGEST) < 0 ? configured : CniHandler.LONGEST;
        CniClaim claim = CniClaim.read(variables, conf, Instant.now().plus(patience));
        CniResult.Dns dns = conf.dns();
        Grant grant = outcome(context.claims().allocate(allocator, claim), patience, "the ADD");
        return ResultJson.result(CniResult.of(grant, dns), conf.version());
    }

    private void check(CniVariables variables, NetConf conf) {
        OwnerKey owner = CniClaim.owner(variables, conf);
        Grant grant = granted(owner)
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

    private Optional<Grant> granted(OwnerKey owner) {
        try {
            return context.claims().grant(allocator, CniClaim.id(owner));
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
        Set<String> kept = valid.get().stream().map(OwnerKey::toString).collect(Collectors.toSet());
        List<ServedClaim> stale = context.claims().all().stream()
                .filter(served -> served.extension().equals(allocator))
                .filter(served -> served.held().claim().text().startsWith(conf.name() + "/"))
                .filter(served -> !kept.contains(served.held().claim().text()))
                .filter(served -> !served.held().since().isAfter(asked))
                .toList();
        List<String> problems = new ArrayList<>();
        for (ServedClaim served : stale) {
            try {
                outcome(context.claims().release(allocator, served.held().claim()), CniHandler.LONGEST, "the release");
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
                            + ": the runtime calls " + kept.size() + " sandboxes valid");
        }
        if (!problems.isEmpty()) {
            throw new CniException(
                    CniErrorCode.GC_INCOMPLETE,
                    "of network " + conf.name() + ", " + ended + " claims ended, and " + problems.size()
                            + " could not be",
                    String.join("; ", problems));
        }
    }

    private void status() {
        context.claims().trouble(allocator).ifPresent(why -> {
            throw new CniException(CniErrorCode.NOT_AVAILABLE, why, "'enipam plugin list' tells more");
        });
    }

    private static <T> T outcome(CompletableFuture<T> coming, Duration patience, String what) {
        return new Deadline(patience).outcome(coming, what);
    }
}
