package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.ConditionBuilder;
import io.enipam.diagnostics.explain.Explanation.HeldAddress;
import io.enipam.diagnostics.sources.ApiServerSource.KnownPods;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Why a pod, or one container of it, has an address or has none. */
final class PodExplanation {
    private final ExplainContext context;
    private final PodRef pod;
    private final Optional<OwnerKey> container;

    /** @param container only this one of the pod's sandboxes; empty for all */
    PodExplanation(ExplainContext context, PodRef pod, Optional<OwnerKey> container) {
        this.context = context;
        this.pod = pod;
        this.container = container;
    }

    Condition explain() {
        ConditionBuilder condition =
                new ConditionBuilder().pod(Optional.of(pod)).owner(container);
        List<Lease> leases =
                context.leases(pod).filter(lease -> ours(lease.owner())).toList();
        List<WaiterView> queue = context.agenda().queue();
        Optional<WaiterView> waiting = queue.stream()
                .filter(waiter -> waiter.pod().equals(pod) && ours(waiter.owner()))
                .findFirst();
        if (!leases.isEmpty()) {
            leased(leases, condition);
        } else if (waiting.isPresent()) {
            waiting(waiting.get(), queue.indexOf(waiting.get()) + 1, condition);
        } else if (context.agenda().busy().contains(pod)) {
            condition
                    .state("BUSY", Optional.empty())
                    .why(
                            "no address yet: an ADD or DEL of it is under way, which waits for the API server, the disk or the"
                                    + " kernel, and not for an address");
        } else {
            without(condition);
        }
        context.holds().filter(hold -> hold.pod().equals(pod)).forEach(hold -> held(hold, condition));
        return condition.build();
    }

    private boolean ours(OwnerKey owner) {
        return container.isEmpty() || container.get().equals(owner);
    }

    private void leased(List<Lease> leases, ConditionBuilder condition) {
        boolean lost = false;
        boolean back = false;
        boolean off = false;
        for (Lease lease : leases) {
            Optional<PoolView.Entry> entry = context.entries()
                    .filter(e -> e.resource().id().equals(lease.resource().id()))
                    .findFirst();
            Optional<PoolView.Entry> gone = entry.filter(e -> e.state() == ResourceState.INVALID);
            lost |= gone.isPresent();
            back |= gone.filter(context::isBack).isPresent();
            off |= gone.flatMap(e -> context.registered(ExplainContext.eniOf(e)))
                    .filter(EniExplanation::isLost)
                    .isPresent();
            lease.resource()
                    .addresses()
                    .forEach(address -> condition.holding(new HeldAddress(
                            address.toString(),
                            lease.resource().primary(),
                            entry.map(e -> e.state().name()).orElse(""),
                            Optional.of(pod))));
        }
        Lease first = leases.get(0);
        String has = String.join(
                " and ",
                leases.stream()
                        .map(lease -> AddressFormat.of(lease.resource()) + " in container "
                                + lease.owner().containerId())
                        .toList());
        condition
                .state(lost ? "LOST_ADDRESS" : "HAS_ADDRESS", Optional.of(first.since()))
                .owner(Optional.of(first.owner()))
                .eni(first.resource().parent(), 0);
        if (back) {
            condition
                    .why("the cloud took " + has + " away, and has given it back")
                    .next(
                            context.agenda().next().reconcile(),
                            "the pool is compared with the cloud: it is the pod's as before");
        } else if (lost) {
            condition.why("no network: "
                    + (off
                            ? "another actor took the ENI of " + has + " off this node"
                            : "the cloud took " + has + " away"));
            if (off) {
                condition.next(Optional.empty(), EniExplanation.LOST_NEXT);
            }
            condition.next(Optional.empty(), "delete the pod: its next one gets another address");
        } else {
            condition.why("has " + has);
        }
        context.differs(Difference.Kind.POD_GONE, first.owner())
                .ifPresent(gone -> condition.why(
                        "the pod is gone (" + gone.says().getOrDefault("API server", "") + ") and no DEL has come"));
        context.explainEnd(first.owner(), "the garbage collection ends the lease", condition);
        if (context.agenda().busy().contains(pod)) {
            condition.why("an ADD, a DEL or the end of a lease of it is under way");
        }
    }

    private void waiting(WaiterView waiter, int place, ConditionBuilder condition) {
        PendingWork agenda = context.agenda();
        condition
                .state("WAITING", Optional.of(waiter.since()))
                .owner(Optional.of(waiter.owner()))
                .until(Optional.of(waiter.until()))
                .why("no address yet: it waits in the queue at place " + place + " of "
                        + agenda.queue().size() + ", because nothing is idle" + full());
        if (!agenda.creates().isEmpty()) {
            int making = agenda.creates().size();
            condition.why((making == 1
                            ? "1 address is being made by request "
                            : making + " addresses are being made, the oldest by request ")
                    + agenda.creates().get(0).token()
                    + "; what is made and what pods give back goes to the head of the queue");
        }
        agenda.createTrouble()
                .ifPresent(trouble -> condition
                        .why("the last address could not be made: " + trouble.kind() + ": " + trouble.message())
                        .next(Optional.of(trouble.next()), "an address is asked for again"));
        context.entries()
                .flatMap(entry -> entry.until().stream())
                .min(Comparator.naturalOrder())
                .ifPresent(end -> condition.next(
                        Optional.of(end), "the next cool-down or reservation ends, and its address serves the queue"));
        condition.next(Optional.of(waiter.until()), "its ADD fails with POOL_EXHAUSTED, and the runtime tries again");
    }

    private String full() {
        return context.pool()
                .filter(pool -> pool.entries().size() + pool.creating() >= pool.capacity())
                .map(pool -> " and the pool is full: " + pool.count(ResourceState.IN_USE) + " of " + pool.capacity()
                        + " addresses are in use")
                .orElse("");
    }

    private void without(ConditionBuilder condition) {
        Optional<Event> last = last(event -> event.type().startsWith("Lease"));
        Optional<Pod> known = context.pods().filter(p -> p.ref().equals(pod)).findFirst();
        if (last.filter(event -> event.type().equals("LeaseRefused")).isPresent()) {
            Event refusal = last.get();
            condition
                    .state("REFUSED", Optional.of(refusal.at()))
                    .why("no address: its last ADD failed with "
                            + refusal.attributes().getOrDefault("code", "an error") + ": " + refusal.message() + full())
                    .next(Optional.empty(), "the runtime tries again by itself, with a new sandbox");
        } else if (known.isEmpty() && context.snapshot().answer(KnownPods.class).isPresent()) {
            condition
                    .state("GONE", last.map(Event::at))
                    .why("no address: the API server does not know the pod, and it has no lease"
                            + last.map(event -> "; the last that happened: " + event.message())
                                    .orElse(""));
        } else if (known.filter(Pod::finished).isPresent()) {
            condition.state("NO_ADDRESS", last.map(Event::at)).why("no address: the pod has run to its end");
        } else if (last.isPresent()) {
            condition
                    .state("NO_ADDRESS", last.map(Event::at))
                    .why("no address now; the last that happened: " + last.get().message())
                    .next(Optional.empty(), "an ADD gives it one");
        } else {
            condition
                    .state("NO_ADDRESS", Optional.empty())
                    .why("no address: no ADD has come for it, as far as the daemon remembers")
                    .next(Optional.empty(), "an ADD gives it one; if none comes, ask the kubelet and the runtime why");
        }
    }

    private Optional<Event> last(Predicate<Event> fits) {
        return context.events().stream()
                .filter(event -> event.subject().equals(pod.toString()) && fits.test(event))
                .filter(event -> container
                        .map(owner ->
                                owner.toString().equals(event.attributes().getOrDefault("owner", owner.toString())))
                        .orElse(true))
                .reduce((former, later) -> later);
    }

    private void held(Hold hold, ConditionBuilder condition) {
        if (!hold.until().isAfter(context.snapshot().at())) {
            return;
        }
        String address = AddressFormat.of(hold.resource());
        if (hold.purpose() == Hold.Purpose.RESERVED) {
            condition
                    .why("address " + address + " is reserved for it")
                    .next(Optional.of(hold.until()), "the reservation of " + address + " ends");
        } else {
            condition.why("address " + address + ", which it gave back, cools down");
        }
    }
}
