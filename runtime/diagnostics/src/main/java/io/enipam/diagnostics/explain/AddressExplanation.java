package io.enipam.diagnostics.explain;

import static io.enipam.diagnostics.sources.Statement.eniOf;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.RetryState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Why an address is as it is. */
final class AddressExplanation extends ConditionBuilder {
    private final String address;

    AddressExplanation(ExplainContext context, String address) {
        super(context);
        this.address = address;
    }

    /** @param elsewhere ENIs of the cloud that have it and are not this node's */
    Optional<Condition> explain(List<ObservedEni> elsewhere) {
        boolean known = tell(context.entries(address), this::pooled)
                || tell(
                        context.leases()
                                .filter(lease ->
                                        Statement.hosts(lease.resource()).contains(address)),
                        this::leasedOnly)
                || tell(context.plugins().holder(address).stream(), this::granted)
                || tell(context.enis().filter(eni -> Statement.hosts(eni.all()).contains(address)), this::spare)
                || tell(context.seen().filter(eni -> eni.addresses().contains(address)), this::untracked)
                || tell(elsewhere.stream(), this::elsewhere)
                || tell(context.sandboxes().filter(this::isConnected), this::connectedOnly)
                || tell(
                        context.events().stream().filter(this::isOfResource).reduce((former, later) -> later).stream(),
                        this::left);
        return known ? Optional.of(build()) : Optional.empty();
    }

    /** Explains the first that there is. */
    private static <T> boolean tell(Stream<T> found, Consumer<T> explanation) {
        Optional<T> first = found.findFirst();
        first.ifPresent(explanation);
        return first.isPresent();
    }

    private void pooled(PoolView.Entry entry) {
        state(entry.state().name(), entry.since());
        until(entry.until());
        holder(entry.pod(), entry.owner());
        resource(entry.resource());
        switch (entry.state()) {
            case IDLE -> idle(entry);
            case IN_USE -> inUse(entry);
            case COOLING -> {
                why("cooling down, because " + named(entry.pod())
                        + " gave it back: stale traffic and connections of that pod die before another gets it");
                next(entry.until(), "the cool-down ends: " + whenIdle());
            }
            case RESERVED -> reserved(entry);
            case DISPOSING -> disposing(entry);
            case INVALID -> lost(entry);
            case CREATING -> why("on its way into the pool");
        }
    }

    private void idle(PoolView.Entry entry) {
        CapacityOverride order = context.order();
        if (order.kind() == CapacityOverride.Kind.DRAINED) {
            drained(entry, order);
            return;
        }
        why("idle: no pod has it, and the next one may get it");
        context.pool().map(PoolView::summary).ifPresent(pool -> {
            if (order.kind() == CapacityOverride.Kind.WARM) {
                warm(pool, order);
            } else {
                watermarks(pool, 0);
            }
        });
    }

    /** @param kept how many an order keeps idle */
    private void watermarks(PoolSummary pool, int kept) {
        int idle = pool.count(ResourceState.IDLE);
        int most = Math.max(pool.maxIdle(), kept);
        if (idle > most) {
            String limit = kept > pool.maxIdle() ? "the order keeps" : "the upper watermark";
            why("more are idle (" + idle + ") than " + limit + " (" + most + ")");
            next(
                    context.agenda().next().check(),
                    "the watermarks are looked at: by policy '" + pool.policy() + "' it may be given back");
        }
    }

    private void warm(PoolSummary pool, CapacityOverride order) {
        why("'pool warm " + order.idle() + "' keeps as many idle until "
                + order.until().map(Instant::toString).orElse("it ends")
                + (order.met() ? "; they were made, and what pods take is not made again" : ""));
        watermarks(pool, order.idle());
        next(
                order.until(),
                pool.count(ResourceState.IDLE) > pool.maxIdle()
                        ? "the order ends: of what is idle above the upper watermark (" + pool.maxIdle()
                                + ") it may be given back"
                        : "the order ends: policy '" + pool.policy() + "' alone decides again");
    }

    private void drained(PoolView.Entry entry, CapacityOverride order) {
        why("idle, and the pool was told at " + order.since() + " to give back what is idle: 'pool drain' is in force");
        if (!context.agenda().queue().isEmpty()) {
            why("pods wait for addresses, and nothing goes back while they do");
            next("the next of them gets it, or it is given back");
        } else if (goesLast(entry)) {
            why("it is the primary address of ENI " + eniOf(entry.resource())
                    + ", which other addresses of the pool are still on");
            next("it goes back with its ENI, when the others have gone");
        } else {
            next(context.agenda().next().check(), "it is given back by then, if it has not gone before");
        }
        next("after 'pool drain --undo' it stays, and the next pod may get it");
    }

    private boolean goesLast(PoolView.Entry entry) {
        return entry.resource().primary()
                && context.entriesOn(eniOf(entry.resource()))
                        .anyMatch(other ->
                                !other.resource().id().equals(entry.resource().id()));
    }

    private static String named(Optional<PodRef> pod) {
        return pod.map(ref -> "pod " + ref).orElse("the pod that had it");
    }

    private String whenIdle() {
        return context.order().kind() == CapacityOverride.Kind.DRAINED
                ? "it goes back to where it came from, for the pool is drained"
                : "it is idle, and the next pod may get it";
    }

    private void inUse(PoolView.Entry entry) {
        Optional<OwnerKey> owner = entry.owner();
        entry.pod().flatMap(context::lossOf).ifPresent(loss -> why("no network: " + loss.text()));
        String gone = owner.flatMap(context::podGone)
                .map(why -> ", though the pod is gone (" + why + ") and no DEL has come")
                .orElse("");
        why("in use by " + named(entry.pod())
                + owner.map(key -> ", container " + key.containerId()).orElse("") + gone);
        owner.ifPresent(key -> explainEnd(key, "lease", "the garbage collection ends the lease, and it cools down"));
        if (entry.pod().filter(context.agenda().busy()::contains).isPresent()) {
            why("an ADD, a DEL or the end of a lease of that pod is under way");
        }
        if (context.leases()
                .anyMatch(lease -> owner.equals(Optional.of(lease.owner()))
                        && !lease.stick().isZero())) {
            why("it belongs to a StatefulSet's pod: after its DEL it stays reserved for that pod");
        }
    }

    private void reserved(PoolView.Entry entry) {
        why("reserved for " + named(entry.pod()) + ", which gave it back: a StatefulSet's pod finds its address again");
        next("an ADD of that pod gets it at once");
        next(entry.until(), "the reservation ends: " + whenIdle());
        entry.pod()
                .flatMap(pod -> context.leases(pod).findFirst())
                .ifPresent(lease -> why("the pod has " + AddressFormat.of(lease.resource()) + " at the moment"));
    }

    private void disposing(PoolView.Entry entry) {
        RetryState setback = context.agenda().disposals().get(ResourceKey.of(entry.resource()));
        if (setback == null) {
            why("on its way back to where it came from: its factory is being asked");
            return;
        }
        String times = setback.failures() == 1 ? "once" : setback.failures() + " times";
        why("on its way back to where it came from: asked " + times + ", the last answer was " + setback.kind() + ": "
                + setback.message());
        next(Optional.of(setback.next()), "it is tried again");
    }

    private void lost(PoolView.Entry entry) {
        String had = named(entry.pod()) + " had ";
        String eni = eniOf(entry.resource());
        if (entry.owner().isEmpty()) {
            why("lost: it is not this node's any more; it is being dropped");
            return;
        }
        if (context.isBack(entry)) {
            why("it was lost while " + had + "it, and the cloud has it on ENI " + eni + " of this node again");
            next(context.agenda().next().reconcile(), EniExplanation.BACK_NEXT);
            return;
        }
        if (context.registered(eni).filter(EniDirectory.Eni::isLost).isPresent()) {
            why("lost with ENI " + eni + ", which another actor took off this node while " + had
                    + "the address: the pod has no network");
            next(EniExplanation.LOST_NEXT);
        } else {
            why("lost: the cloud took it while " + had + "it, so that pod has no network");
            next(
                    context.agenda().next().reconcile(),
                    "the cloud is asked again: if it is back, it is the pod's as before");
        }
        next("it is dropped with the pod's DEL: delete the pod, and its next one gets another");
    }

    private void leasedOnly(Lease lease) {
        state("NOT_LENT", lease.since());
        holder(Optional.of(lease.pod()), Optional.of(lease.owner()));
        resource(lease.resource());
        why("the database has a lease of it for pod " + lease.pod() + ", and the pool does not know it");
    }

    private void granted(ServedClaim claim) {
        state("GRANTED", claim.held().since());
        holder(claim.pod(), claim.owner());
        explain(claim);
    }

    private void spare(EniDirectory.Eni eni) {
        eni(eni.id(), 0);
        if (eni.state().equals("InUse")) {
            state("NOT_LENT");
            why("it is on ENI " + eni.id() + " and not in the pool: the next address the pool asks for may be it");
        } else {
            state("NOT_LENT", eni.since());
            why("it is on ENI " + eni.id() + ", which is " + eni.state() + " and lends nothing");
        }
    }

    private void untracked(ObservedEni eni) {
        eni(eni.id(), 0);
        state("ON_NODE");
        if (!eni.secondary()) {
            why("it is the node's own: on the instance's primary ENI " + eni.id() + ", which lends nothing");
        } else if (!eni.tagged()) {
            why("it is on ENI " + eni.id() + ", which hangs on this node and is not enipam's: it does not carry"
                    + " this node's tags");
        } else {
            state("UNTRACKED");
            why("the cloud has it on ENI " + eni.id() + " of this node, and it is unknown here");
            if (context.isHere(eni)) {
                next(context.agenda().next().reconcile(), "the pool is compared with the cloud, and takes it over");
            } else {
                next("the sweep deletes what is Available and older than ten minutes; see: eni sweep --dry-run");
            }
        }
    }

    private void elsewhere(ObservedEni eni) {
        state("ELSEWHERE");
        eni(eni.id(), 0);
        why("not this node's: per the cloud it is on ENI " + eni.id() + ", which is " + eni.status() + " and hangs on "
                + (eni.instance().isEmpty() ? "nothing" : eni.instance()));
    }

    private boolean isConnected(Attachment sandbox) {
        return sandbox.addresses().stream().map(AddressFormat::text).anyMatch(address::equals);
    }

    /** The last trace of it: only the kernel has it. */
    private void connectedOnly(Attachment sandbox) {
        state("UNTRACKED");
        holder(sandbox.pod(), Optional.of(sandbox.owner()));
        why("the kernel routes it to container " + sandbox.owner().containerId()
                + ", and neither database nor pool knows it");
    }

    /** Events name an address by its resource's id. */
    private boolean isOfResource(Event event) {
        return event.subject().endsWith("/" + address);
    }

    private void left(Event last) {
        state("GONE", last.at());
        why("it was here and is no more; the last that happened: " + last.message());
    }
}
