package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.Explanation.ConditionBuilder;
import io.enipam.diagnostics.sources.CloudSource.CloudAnswer;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Why an address is as it is. */
final class AddressExplanation {
    private final ExplainContext context;
    private final String address;

    AddressExplanation(ExplainContext context, String address) {
        this.context = context;
        this.address = address;
    }

    /** @param elsewhere ENIs of the cloud that have it and are not this node's */
    Optional<Condition> explain(List<ObservedEni> elsewhere) {
        List<PoolView.Entry> entries = context.entries(address).toList();
        if (!entries.isEmpty()) {
            return Optional.of(pooled(entries.get(0)));
        }
        Optional<Lease> lease = context.leases()
                .filter(l ->
                        l.resource().addresses().stream().anyMatch(a -> a.host().equals(address)))
                .findFirst();
        if (lease.isPresent()) {
            return Optional.of(leasedOnly(lease.get()));
        }
        Optional<EniDirectory.Eni> registered = context.registeredHolder(address);
        if (registered.isPresent()) {
            return Optional.of(spare(registered.get()));
        }
        Optional<ObservedEni> seen =
                context.cloud().flatMap(word -> word.holders(address).findFirst());
        if (seen.isPresent()) {
            return Optional.of(untracked(seen.get(), context.cloud().orElseThrow()));
        }
        return elsewhere.stream()
                .findFirst()
                .map(this::elsewhere)
                .or(this::connectedOnly)
                .or(this::left);
    }

    private Condition pooled(PoolView.Entry entry) {
        ConditionBuilder condition = new ConditionBuilder()
                .state(entry.state().name(), Optional.of(entry.since()))
                .until(entry.until())
                .pod(entry.pod())
                .owner(entry.owner())
                .resource(entry.resource())
                .eni(ExplainContext.eniOf(entry), 0);
        switch (entry.state()) {
            case IDLE -> idle(entry, condition);
            case IN_USE -> inUse(entry, condition);
            case COOLING ->
                condition
                        .why("cooling down, because " + named(entry.pod())
                                + " gave it back: stale traffic and connections of that pod die before another gets it")
                        .next(entry.until(), "the cool-down ends: " + whenIdle());
            case RESERVED -> reserved(entry, condition);
            case DISPOSING -> disposing(entry, condition);
            case INVALID -> lost(entry, condition);
            case CREATING -> condition.why("on its way into the pool");
        }
        return condition.build();
    }

    private void idle(PoolView.Entry entry, ConditionBuilder condition) {
        CapacityOverride order = context.order();
        switch (order.kind()) {
            case NONE -> {
                condition.why("idle: no pod has it, and the next one may get it");
                context.pool().ifPresent(pool -> watermarks(pool, 0, condition));
            }
            case WARM -> {
                condition.why("idle: no pod has it, and the next one may get it");
                context.pool().ifPresent(pool -> warm(pool, order, condition));
            }
            case DRAINED -> drained(entry, order, condition);
        }
    }

    /** @param kept how many an order keeps idle */
    private void watermarks(PoolView pool, int kept, ConditionBuilder condition) {
        int idle = pool.count(ResourceState.IDLE);
        int most = Math.max(pool.maxIdle(), kept);
        if (idle > most) {
            condition
                    .why("more are idle (" + idle + ") than "
                            + (kept > pool.maxIdle() ? "the order keeps" : "the upper watermark") + " (" + most + ")")
                    .next(
                            context.agenda().next().check(),
                            "the watermarks are looked at: by policy '" + pool.policy() + "' it may be given back");
        }
    }

    private void warm(PoolView pool, CapacityOverride order, ConditionBuilder condition) {
        condition.why("'pool warm " + order.idle() + "' keeps as many idle until "
                + order.until().map(Instant::toString).orElse("it ends")
                + (order.met() ? "; they were made, and what pods take is not made again" : ""));
        watermarks(pool, order.idle(), condition);
        condition.next(
                order.until(),
                pool.count(ResourceState.IDLE) > pool.maxIdle()
                        ? "the order ends: of what is idle above the upper watermark (" + pool.maxIdle()
                                + ") it may be given back"
                        : "the order ends: policy '" + pool.policy() + "' alone decides again");
    }

    private void drained(PoolView.Entry entry, CapacityOverride order, ConditionBuilder condition) {
        condition.why("idle, and the pool was told at " + order.since()
                + " to give back what is idle: 'pool drain' is in force");
        if (context.agenda().queue().isEmpty() && goesLast(entry)) {
            condition
                    .why("it is the primary address of ENI " + ExplainContext.eniOf(entry)
                            + ", which other addresses of the pool are still on")
                    .next(Optional.empty(), "it goes back with its ENI, when the others have gone");
        } else if (context.agenda().queue().isEmpty()) {
            condition.next(context.agenda().next().check(), "it is given back by then, if it has not gone before");
        } else {
            condition
                    .why("pods wait for addresses, and nothing goes back while they do")
                    .next(Optional.empty(), "the next of them gets it, or it is given back");
        }
        condition.next(Optional.empty(), "after 'pool drain --undo' it stays, and the next pod may get it");
    }

    private boolean goesLast(PoolView.Entry entry) {
        return entry.resource().primary()
                && context.entries()
                        .anyMatch(other ->
                                !other.resource().id().equals(entry.resource().id())
                                        && ExplainContext.eniOf(other).equals(ExplainContext.eniOf(entry)));
    }

    private static String named(Optional<PodRef> pod) {
        return pod.map(ref -> "pod " + ref).orElse("the pod that had it");
    }

    private String whenIdle() {
        return context.order().kind() == CapacityOverride.Kind.DRAINED
                ? "it goes back to where it came from, for the pool is drained"
                : "it is idle, and the next pod may get it";
    }

    private void inUse(PoolView.Entry entry, ConditionBuilder condition) {
        String holder = named(entry.pod())
                + entry.owner()
                        .map(owner -> ", container " + owner.containerId())
                        .orElse("");
        Optional<Difference> gone = entry.owner().flatMap(owner -> context.differs(Difference.Kind.POD_GONE, owner));
        if (gone.isPresent()) {
            condition.why("in use by " + holder + ", though the pod is gone ("
                    + gone.get().says().getOrDefault("API server", "") + ") and no DEL has come");
        } else {
            condition.why("in use by " + holder);
        }
        entry.owner()
                .ifPresent(owner -> context.explainEnd(
                        owner, "the garbage collection ends the lease, and it cools down", condition));
        entry.pod()
                .filter(pod -> context.agenda().busy().contains(pod))
                .ifPresent(pod -> condition.why("an ADD, a DEL or the end of a lease of that pod is under way"));
        entry.owner()
                .flatMap(owner ->
                        context.leases().filter(l -> l.owner().equals(owner)).findFirst())
                .filter(lease -> !lease.stick().isZero())
                .ifPresent(lease -> condition.why(
                        "it belongs to a StatefulSet's pod: after its DEL it stays reserved for that pod"));
    }

    private void reserved(PoolView.Entry entry, ConditionBuilder condition) {
        condition.why("reserved for " + named(entry.pod())
                + ", which gave it back: a StatefulSet's pod finds its address again");
        condition.next(Optional.empty(), "an ADD of that pod gets it at once");
        condition.next(entry.until(), "the reservation ends: " + whenIdle());
        entry.pod()
                .flatMap(pod -> context.leases(pod).findFirst())
                .ifPresent(
                        lease -> condition.why("the pod has " + AddressFormat.of(lease.resource()) + " at the moment"));
    }

    private void disposing(PoolView.Entry entry, ConditionBuilder condition) {
        Optional<RetryState> setback = Optional.ofNullable(
                context.agenda().disposals().get(entry.resource().id()));
        if (setback.isEmpty()) {
            condition.why("on its way back to where it came from: its factory is being asked");
            return;
        }
        condition.why("on its way back to where it came from: asked "
                + times(setback.get().failures()) + ", the last answer was "
                + setback.get().kind() + ": " + setback.get().message());
        condition.next(Optional.of(setback.get().next()), "it is tried again");
    }

    private static String times(int failures) {
        return failures == 1 ? "once" : failures + " times";
    }

    private void lost(PoolView.Entry entry, ConditionBuilder condition) {
        if (entry.owner().isEmpty()) {
            condition.why("lost: it is not this node's any more; it is being dropped");
            return;
        }
        String eni = ExplainContext.eniOf(entry);
        if (context.isBack(entry)) {
            condition
                    .why("it was lost while " + named(entry.pod()) + " had it, and the cloud has it on ENI " + eni
                            + " of this node again")
                    .next(
                            context.agenda().next().reconcile(),
                            "the pool is compared with the cloud: it is the pod's as before");
            return;
        }
        if (context.registered(eni).filter(EniExplanation::isLost).isPresent()) {
            condition.why("lost with ENI " + eni + ", which another actor took off this node while "
                    + named(entry.pod()) + " had the address: the pod has no network");
            condition.next(Optional.empty(), EniExplanation.LOST_NEXT);
        } else {
            condition.why(
                    "lost: the cloud took it while " + named(entry.pod()) + " had it, so that pod has no network");
            condition.next(
                    context.agenda().next().reconcile(),
                    "the cloud is asked again: if it is back, it is the pod's as before");
        }
        condition.next(
                Optional.empty(), "it is dropped with the pod's DEL: delete the pod, and its next one gets another");
    }

    private Condition leasedOnly(Lease lease) {
        return new ConditionBuilder()
                .state("NOT_LENT", Optional.of(lease.since()))
                .pod(Optional.of(lease.pod()))
                .owner(Optional.of(lease.owner()))
                .resource(lease.resource())
                .eni(Statement.eniOf(lease.resource()), 0)
                .why("the database has a lease of it for pod " + lease.pod() + ", and the pool does not know it")
                .build();
    }

    private Condition spare(EniDirectory.Eni eni) {
        ConditionBuilder condition = new ConditionBuilder().eni(eni.id(), 0);
        if (eni.state().equals("InUse")) {
            condition
                    .state("NOT_LENT", Optional.empty())
                    .why("it is on ENI " + eni.id()
                            + " and not in the pool: the next address the pool asks for may be it");
        } else {
            condition
                    .state("NOT_LENT", Optional.of(eni.since()))
                    .why("it is on ENI " + eni.id() + ", which is " + eni.state() + " and lends nothing");
        }
        return condition.build();
    }

    private Condition untracked(ObservedEni eni, CloudAnswer cloud) {
        ConditionBuilder condition = new ConditionBuilder().eni(eni.id(), 0);
        boolean here = eni.instance().equals(cloud.testimony().instance());
        if (!eni.secondary()) {
            return condition
                    .state("ON_NODE", Optional.empty())
                    .why("it is the node's own: on the instance's primary ENI " + eni.id() + ", which lends nothing")
                    .build();
        }
        if (!eni.tagged()) {
            return condition
                    .state("ON_NODE", Optional.empty())
                    .why("it is on ENI " + eni.id()
                            + ", which hangs on this node and is not enipam's: it does not carry"
                            + " this node's tags")
                    .build();
        }
        condition
                .state("UNTRACKED", Optional.empty())
                .why("the cloud has it on ENI " + eni.id() + " of this node, and it is unknown here");
        if (here) {
            condition.next(
                    context.agenda().next().reconcile(), "the pool is compared with the cloud, and takes it over");
        } else {
            condition.next(
                    Optional.empty(),
                    "the sweep deletes what is Available and older than ten minutes; see: eni sweep --dry-run");
        }
        return condition.build();
    }

    private Condition elsewhere(ObservedEni eni) {
        String where = eni.instance().isEmpty() ? "hangs on nothing" : "hangs on " + eni.instance();
        return new ConditionBuilder()
                .state("ELSEWHERE", Optional.empty())
                .eni(eni.id(), 0)
                .why("not this node's: per the cloud it is on ENI " + eni.id() + ", which is " + eni.status() + " and "
                        + where)
                .build();
    }

    /** It was here, and went: events name it by its resource's id. */
    private Optional<Condition> left() {
        return context.events().stream()
                .filter(event -> event.subject().endsWith("/" + address))
                .reduce((former, later) -> later)
                .map(last -> new ConditionBuilder()
                        .state("GONE", Optional.of(last.at()))
                        .why("it was here and is no more; the last that happened: " + last.message())
                        .build());
    }

    /** The last trace of it: only the kernel has it. */
    private Optional<Condition> connectedOnly() {
        return context.sandboxes()
                .filter(sandbox -> sandbox.addresses().stream()
                        .anyMatch(ip -> AddressFormat.text(ip).equals(address)))
                .findFirst()
                .map(sandbox -> new ConditionBuilder()
                        .state("UNTRACKED", Optional.empty())
                        .pod(sandbox.pod())
                        .owner(Optional.of(sandbox.owner()))
                        .why("the kernel routes it to container "
                                + sandbox.owner().containerId() + ", and neither database nor pool knows it")
                        .build());
    }
}
