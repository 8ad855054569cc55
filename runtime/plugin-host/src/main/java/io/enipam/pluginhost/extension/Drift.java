package io.enipam.pluginhost.extension;

import io.enipam.engine.port.Scheduler;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.Allocator;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.ledger.HeldGrant;
import io.enipam.sdk.ledger.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Compares what an allocator has outside with its grants in force: when it is opened on the host that leads, and on a timer. Another
 * host does not know which effects the leader has still to perform. A difference counts when two looks in a row see the same one and no effect of its claim waits; then the allocator may repair it. Thread-safe.
 */
public final class Drift {
    private static final Duration OBSERVE = Duration.ofSeconds(60);
    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final Duration DECIDE = Duration.ofSeconds(5);

    private final RunningPart part;
    private final Allocator allocator;
    private final Ledger ledger;
    private final Effects effects;
    private final Scheduler engine;
    private volatile boolean stopped;
    private volatile List<Difference> seen = List.of();
    private volatile List<Difference> lasting = List.of();

    Drift(RunningPart part, Allocator allocator, Effects effects, Scheduler engine) {
        this.part = part;
        this.allocator = allocator;
        this.ledger = part.host().ledger();
        this.effects = effects;
        this.engine = engine;
    }

    /**
     * One difference.
     *
     * @param missing whether the grant is in force and the outside lacks it; else the outside has it without a claim
     */
    public record Difference(String plugin, String extension, Grant grant, boolean missing) {
        public ClaimId claim() {
            return grant.claim();
        }
    }

    void begin() {
        look();
    }

    void stop() {
        stopped = true;
    }

    List<Difference> differences() {
        return lasting;
    }

    private void look() {
        if (stopped) {
            return;
        }
        part.calls()
                .later(
                        "observe",
                        OBSERVE,
                        () -> allocator.observes() ? allocator.observe() : CompletableFuture.completedFuture(granted()))
                .thenCompose(this::compared)
                .whenComplete((done, failure) ->
                        engine.after(failure == null && seen.size() > lasting.size() ? SOON : INTERVAL, this::look));
    }

    private List<Grant> granted() {
        return ledger.grants().stream().flatMap(held -> held.grant().stream()).toList();
    }

    private CompletableFuture<Void> compared(List<Grant> outside) {
        if (stopped) {
            return CompletableFuture.completedFuture(null);
        }
        Map<ClaimId, Set<Prefix>> there = new HashMap<>();
        outside.forEach(grant ->
                there.computeIfAbsent(grant.claim(), claim -> new HashSet<>()).addAll(grant.prefixes()));
        Map<ClaimId, HeldGrant> held =
                ledger.grants().stream().collect(Collectors.toMap(HeldGrant::claim, each -> each));
        List<Difference> now = new ArrayList<>();
        granted().stream()
                .filter(grant ->
                        !addresses(grant.prefixes()).equals(addresses(there.getOrDefault(grant.claim(), Set.of()))))
                .forEach(grant -> now.add(new Difference(part.plugin(), part.name(), grant, true)));
        outside.stream()
                .filter(grant -> !held.containsKey(grant.claim()))
                .forEach(grant -> now.add(new Difference(part.plugin(), part.name(), grant, false)));
        now.removeIf(difference -> effects.busy(part.name(), difference.claim()));
        List<Difference> again = now.stream().filter(seen::contains).toList();
        seen = List.copyOf(now);
        CompletableFuture<?>[] repairs = again.stream().map(this::repair).toArray(CompletableFuture<?>[]::new);
        lasting = again;
        return CompletableFuture.allOf(repairs);
    }

    /** By address: the gateway is not always to be seen from outside. */
    private static Set<Object> addresses(Collection<Prefix> prefixes) {
        return prefixes.stream().map(Prefix::address).collect(Collectors.toSet());
    }

    private CompletableFuture<Void> repair(Difference difference) {
        return part.calls()
                .later("repair", DECIDE, () -> ledger.repair(difference.grant(), difference.missing(), allocator))
                .handle((repaired, failure) -> {
                    if (failure == null && repaired) {
                        seen = without(seen, difference);
                        lasting = without(lasting, difference);
                    }
                    return null;
                });
    }

    private static List<Difference> without(List<Difference> all, Difference one) {
        return all.stream().filter(each -> !each.equals(one)).toList();
    }
}
