package io.enipam.diagnostics.explain;

import static java.util.stream.Collectors.joining;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.sources.PodSource.KnownPods;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Why a pod, or one container of it, has an address or has none. */
final class PodExplanation extends ConditionBuilder {
    private static final Pattern OF_PODS = Pattern.compile("(Lease|Claim).*");

    private final PodRef pod;
    private final Optional<OwnerKey> container;

    /** @param container only this one of the pod's sandboxes; empty for all */
    PodExplanation(ExplainContext context, PodRef pod, Optional<OwnerKey> container) {
        super(context);
        this.pod = pod;
        this.container = container;
    }

    Condition explain() {
        holder(Optional.of(pod), container);
        List<Lease> leases =
                context.leases(pod).filter(lease -> ours(lease.owner())).toList();
        List<ServedClaim> claims = context.claims()
                .filter(claim -> container.isEmpty()
                        ? claim.pod().equals(Optional.of(pod))
                        : claim.owner().equals(container))
                .toList();
        List<WaiterView> queue = context.agenda().queue();
        Optional<WaiterView> waiting = queue.stream()
                .filter(waiter -> waiter.pod().equals(pod) && ours(waiter.owner()))
                .findFirst();
        if (!leases.isEmpty()) {
            leased(leases);
        } else if (waiting.isPresent()) {
            waiting(waiting.get(), queue.indexOf(waiting.get()) + 1);
        } else if (context.agenda().busy().contains(pod)) {
            state("BUSY");
            why("no address yet: an ADD or DEL of it is under way, which waits for the API server, the"
                    + " disk or the kernel, and not for an address");
        } else if (!claims.isEmpty()) {
            granted(claims);
        } else {
            without();
        }
        if (leases.isEmpty() && claims.isEmpty()) {
            context.troubles().stream()
                    .filter(trouble -> trouble.cause().stopsAdds())
                    .forEach(trouble -> why("no ADD can be served: " + trouble.text()));
        }
        claims.forEach(this::granted);
        context.holds().filter(hold -> hold.pod().equals(pod)).forEach(this::held);
        return build();
    }

    private boolean ours(OwnerKey owner) {
        return container.isEmpty() || container.get().equals(owner);
    }

    private void leased(List<Lease> leases) {
        boolean back = false;
        for (Lease lease : leases) {
            Optional<PoolView.Entry> entry = context.entries()
                    .filter(e ->
                            e.resource().addresses().equals(lease.resource().addresses()))
                    .findFirst();
            back |= entry.filter(context::isBack).isPresent();
            String state = entry.map(e -> e.state().name()).orElse("");
            boolean primary = lease.resource().primary();
            lease.resource()
                    .addresses()
                    .forEach(address -> holding(new HeldAddress(address.toString(), primary, state, Optional.of(pod))));
        }
        String has = leases.stream()
                .map(lease -> AddressFormat.of(lease.resource()) + " in container "
                        + lease.owner().containerId())
                .collect(joining(" and "));
        Lease first = leases.get(0);
        Optional<Trouble> loss = context.lossOf(pod);
        state(
                loss.isEmpty() ? "HAS_ADDRESS" : "LOST_ADDRESS",
                loss.map(Trouble::since).orElse(first.since()));
        holder(Optional.of(pod), Optional.of(first.owner()));
        eni(first.resource().parent(), 0);
        if (loss.isEmpty()) {
            why("has " + has);
        } else if (back) {
            why("the cloud took " + has + " away, and has given it back");
            next(context.agenda().next().reconcile(), EniExplanation.BACK_NEXT);
        } else {
            why("no network: " + loss.get().text());
            why("it had " + has);
            if (context.registered(first.resource().parent())
                    .filter(EniDirectory.Eni::isLost)
                    .isPresent()) {
                next(EniExplanation.LOST_NEXT);
            }
            next("delete the pod: its next one gets another address");
        }
        context.podGone(first.owner()).ifPresent(reason -> why("the pod is gone (" + reason + ") and no DEL has come"));
        explainEnd(first.owner(), "lease", "the garbage collection ends the lease");
        if (context.agenda().busy().contains(pod)) {
            why("an ADD, a DEL or the end of a lease of it is under way");
        }
    }

    /** What a pod without an address of the pool has of allocators. */
    private void granted(List<ServedClaim> claims) {
        ServedClaim first = claims.get(0);
        boolean has = claims.stream().anyMatch(claim -> claim.held().grant().isPresent());
        state(has ? "HAS_ADDRESS" : "WAITING", first.held().since());
        holder(first.pod(), first.owner());
    }

    private void granted(ServedClaim claim) {
        PluginWords.prefixes(claim)
                .forEach(prefix ->
                        holding(new HeldAddress(prefix.address().toString(), false, "GRANTED", Optional.of(pod))));
        explain(claim);
    }

    private void waiting(WaiterView waiter, int place) {
        PendingWork agenda = context.agenda();
        state("WAITING", waiter.since());
        holder(Optional.of(pod), Optional.of(waiter.owner()));
        until(Optional.of(waiter.until()));
        why("no address yet: it waits in the queue at place " + place + " of "
                + agenda.queue().size() + ", because nothing is idle" + full());
        int making = agenda.creates().size();
        if (making > 0) {
            why((making == 1
                            ? "1 address is being made by request "
                            : making + " addresses are being made, the oldest by request ")
                    + agenda.creates().get(0).token()
                    + "; what is made and what pods give back goes to the head of the queue");
        }
        agenda.createTrouble().ifPresent(trouble -> {
            why("the last address could not be made: " + trouble.kind() + ": " + trouble.message());
            next(Optional.of(trouble.next()), "an address is asked for again");
        });
        Optional<Instant> end =
                context.entries().flatMap(entry -> entry.until().stream()).min(Comparator.naturalOrder());
        if (end.isPresent()) {
            next(end, "the next cool-down or reservation ends, and its address serves the queue");
        }
        next(Optional.of(waiter.until()), "its ADD fails with POOL_EXHAUSTED, and the runtime tries again");
    }

    private String full() {
        return context.pool()
                .map(PoolView::summary)
                .filter(pool -> pool.held() + pool.count(ResourceState.CREATING) >= pool.capacity())
                .map(pool -> " and the pool is full: " + pool.count(ResourceState.IN_USE) + " of " + pool.capacity()
                        + " addresses are in use")
                .orElse("");
    }

    private void without() {
        Optional<Event> last = last();
        String happened = last.map(event -> "; the last that happened: " + event.message())
                .orElse("");
        Optional<Pod> known =
                context.pods().filter(one -> one.ref().equals(pod)).findFirst();
        state("NO_ADDRESS", last.map(Event::at));
        if (last.filter(event -> event.type().endsWith("Refused")).isPresent()) {
            Event refusal = last.get();
            state("REFUSED", refusal.at());
            why("no address: its last ADD failed with " + refusal.attributes().getOrDefault("code", "an error") + ": "
                    + refusal.message() + full());
            next("the runtime tries again by itself, with a new sandbox");
        } else if (known.isEmpty() && context.snapshot().answer(KnownPods.class).isPresent()) {
            state("GONE", last.map(Event::at));
            why("no address: the API server does not know the pod, and it has no lease" + happened);
        } else if (known.filter(Pod::finished).isPresent()) {
            why("no address: the pod has run to its end");
        } else if (last.isPresent()) {
            why("no address now" + happened);
            next("an ADD gives it one");
        } else {
            why("no address: no ADD has come for it, as far as the daemon remembers");
            next("an ADD gives it one; if none comes, ask the kubelet and the runtime why");
        }
    }

    /** The last event about a lease of it, or a claim. */
    private Optional<Event> last() {
        return context.events().stream()
                .filter(event -> event.subject().equals(pod.toString())
                        && OF_PODS.matcher(event.type()).matches())
                .filter(event -> container
                        .map(OwnerKey::toString)
                        .filter(owner -> !owner.equals(event.attributes().getOrDefault("owner", owner)))
                        .isEmpty())
                .reduce((former, later) -> later);
    }

    private void held(Hold hold) {
        if (!hold.until().isAfter(context.snapshot().at())) {
            return;
        }
        String address = AddressFormat.of(hold.resource());
        if (hold.purpose() == Hold.Purpose.RESERVED) {
            why("address " + address + " is reserved for it");
            next(Optional.of(hold.until()), "the reservation of " + address + " ends");
        } else {
            why("address " + address + ", which it gave back, cools down");
        }
    }
}
