package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.sources.CloudSource.CloudAnswer;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.RetryState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Optional;

/** Why an address is as it is. */
final class AddressStory {
    private final Scene scene;
    private final String address;

    AddressStory(Scene scene, String address) {
        this.scene = scene;
        this.address = address;
    }

    /** @param elsewhere ENIs of the cloud that have it and are not this node's */
    Optional<Explanation.Story> tell(List<ObservedEni> elsewhere) {
        List<PoolView.Entry> entries = scene.entries(address).toList();
        if (!entries.isEmpty()) {
            return Optional.of(pooled(entries.get(0)));
        }
        Optional<Lease> lease = scene.leases()
                .filter(l ->
                        l.resource().addresses().stream().anyMatch(a -> a.host().equals(address)))
                .findFirst();
        if (lease.isPresent()) {
            return Optional.of(leasedOnly(lease.get()));
        }
        Optional<EniDirectory.Eni> booked = scene.bookedHolder(address);
        if (booked.isPresent()) {
            return Optional.of(spare(booked.get()));
        }
        Optional<ObservedEni> seen =
                scene.cloud().flatMap(word -> word.holders(address).findFirst());
        if (seen.isPresent()) {
            return Optional.of(untracked(seen.get(), scene.cloud().orElseThrow()));
        }
        return elsewhere.stream()
                .findFirst()
                .map(this::elsewhere)
                .or(this::connectedOnly)
                .or(this::left);
    }

    private Explanation.Story pooled(PoolView.Entry entry) {
        Telling telling = new Telling()
                .state(entry.state().name(), Optional.of(entry.since()))
                .until(entry.until())
                .pod(entry.pod())
                .owner(entry.owner())
                .resource(entry.resource())
                .eni(Scene.eniOf(entry), 0);
        switch (entry.state()) {
            case IDLE -> new IdleStory(scene, entry).tell(telling);
            case IN_USE -> inUse(entry, telling);
            case COOLING ->
                telling.why("cooling down, because " + named(entry.pod())
                                + " gave it back: stale traffic and connections of that pod die before another gets it")
                        .next(entry.until(), "the cool-down ends: " + whenIdle());
            case RESERVED -> reserved(entry, telling);
            case DISPOSING -> disposing(entry, telling);
            case INVALID -> lost(entry, telling);
            case CREATING -> telling.why("on its way into the pool");
        }
        return telling.told();
    }

    private static String named(Optional<PodRef> pod) {
        return pod.map(ref -> "pod " + ref).orElse("the pod that had it");
    }

    private String whenIdle() {
        return scene.order().kind() == CapacityOverride.Kind.DRAINED
                ? "it goes back to where it came from, for the pool is drained"
                : "it is idle, and the next pod may get it";
    }

    private void inUse(PoolView.Entry entry, Telling telling) {
        String holder = named(entry.pod())
                + entry.owner()
                        .map(owner -> ", container " + owner.containerId())
                        .orElse("");
        Optional<Difference> gone = entry.owner().flatMap(owner -> scene.differs(Difference.Kind.POD_GONE, owner));
        if (gone.isPresent()) {
            telling.why("in use by " + holder + ", though the pod is gone ("
                    + gone.get().says().getOrDefault("API server", "") + ") and no DEL has come");
        } else {
            telling.why("in use by " + holder);
        }
        entry.owner()
                .ifPresent(owner ->
                        scene.tellEnd(owner, "the garbage collection ends the lease, and it cools down", telling));
        entry.pod()
                .filter(pod -> scene.agenda().busy().contains(pod))
                .ifPresent(pod -> telling.why("an ADD, a DEL or the end of a lease of that pod is under way"));
        entry.owner()
                .flatMap(owner ->
                        scene.leases().filter(l -> l.owner().equals(owner)).findFirst())
                .filter(lease -> !lease.stick().isZero())
                .ifPresent(lease ->
                        telling.why("it belongs to a StatefulSet's pod: after its DEL it stays reserved for that pod"));
    }

    private void reserved(PoolView.Entry entry, Telling telling) {
        telling.why("reserved for " + named(entry.pod())
                + ", which gave it back: a StatefulSet's pod finds its address again");
        telling.next(Optional.empty(), "an ADD of that pod gets it at once");
        telling.next(entry.until(), "the reservation ends: " + whenIdle());
        entry.pod()
                .flatMap(pod -> scene.leases(pod).findFirst())
                .ifPresent(
                        lease -> telling.why("the pod has " + AddressFormat.of(lease.resource()) + " at the moment"));
    }

    private void disposing(PoolView.Entry entry, Telling telling) {
        Optional<RetryState> setback = Optional.ofNullable(
                scene.agenda().disposals().get(entry.resource().id()));
        if (setback.isEmpty()) {
            telling.why("on its way back to where it came from: its factory is being asked");
            return;
        }
        telling.why("on its way back to where it came from: asked "
                + times(setback.get().failures()) + ", the last answer was "
                + setback.get().kind() + ": " + setback.get().message());
        telling.next(Optional.of(setback.get().next()), "it is tried again");
    }

    private static String times(int failures) {
        return failures == 1 ? "once" : failures + " times";
    }

    private void lost(PoolView.Entry entry, Telling telling) {
        if (entry.owner().isEmpty()) {
            telling.why("lost: it is not this node's any more; it is being dropped");
            return;
        }
        String eni = Scene.eniOf(entry);
        if (scene.isBack(entry)) {
            telling.why("it was lost while " + named(entry.pod()) + " had it, and the cloud has it on ENI " + eni
                            + " of this node again")
                    .next(
                            scene.agenda().nextReconcile(),
                            "the pool is compared with the cloud: it is the pod's as before");
            return;
        }
        if (scene.booked(eni).filter(EniStory::isLost).isPresent()) {
            telling.why("lost with ENI " + eni + ", which another actor took off this node while " + named(entry.pod())
                    + " had the address: the pod has no network");
            telling.next(Optional.empty(), EniStory.LOST_NEXT);
        } else {
            telling.why("lost: the cloud took it while " + named(entry.pod()) + " had it, so that pod has no network");
            telling.next(
                    scene.agenda().nextReconcile(),
                    "the cloud is asked again: if it is back, it is the pod's as before");
        }
        telling.next(
                Optional.empty(), "it is dropped with the pod's DEL: delete the pod, and its next one gets another");
    }

    private Explanation.Story leasedOnly(Lease lease) {
        return new Telling()
                .state("NOT_LENT", Optional.of(lease.since()))
                .pod(Optional.of(lease.pod()))
                .owner(Optional.of(lease.owner()))
                .resource(lease.resource())
                .eni(Statement.eniOf(lease.resource()), 0)
                .why("the database has a lease of it for pod " + lease.pod() + ", and the pool does not know it")
                .told();
    }

    private Explanation.Story spare(EniDirectory.Eni eni) {
        Telling telling = new Telling().eni(eni.id(), 0);
        if (eni.state().equals("InUse")) {
            telling.state("NOT_LENT", Optional.empty())
                    .why("it is on ENI " + eni.id()
                            + " and not in the pool: the next address the pool asks for may be it");
        } else {
            telling.state("NOT_LENT", Optional.of(eni.since()))
                    .why("it is on ENI " + eni.id() + ", which is " + eni.state() + " and lends nothing");
        }
        return telling.told();
    }

    private Explanation.Story untracked(ObservedEni eni, CloudAnswer cloud) {
        Telling telling = new Telling().eni(eni.id(), 0);
        boolean here = eni.instance().equals(cloud.testimony().instance());
        if (!eni.secondary()) {
            return telling.state("ON_NODE", Optional.empty())
                    .why("it is the node's own: on the instance's primary ENI " + eni.id() + ", which lends nothing")
                    .told();
        }
        if (!eni.tagged()) {
            return telling.state("ON_NODE", Optional.empty())
                    .why("it is on ENI " + eni.id()
                            + ", which hangs on this node and is somebody else's: it does not carry"
                            + " this node's tags")
                    .told();
        }
        telling.state("UNTRACKED", Optional.empty())
                .why("the cloud has it on ENI " + eni.id() + " of this node, and nobody here knows of it");
        if (here) {
            telling.next(scene.agenda().nextReconcile(), "the pool is compared with the cloud, and takes it over");
        } else {
            telling.next(
                    Optional.empty(),
                    "the sweep deletes what is Available and older than ten minutes; see: eni sweep --dry-run");
        }
        return telling.told();
    }

    private Explanation.Story elsewhere(ObservedEni eni) {
        String where = eni.instance().isEmpty() ? "hangs on nothing" : "hangs on " + eni.instance();
        return new Telling()
                .state("ELSEWHERE", Optional.empty())
                .eni(eni.id(), 0)
                .why("not this node's: per the cloud it is on ENI " + eni.id() + ", which is " + eni.status() + " and "
                        + where)
                .told();
    }

    /** It was here, and went: events name it by its resource's id. */
    private Optional<Explanation.Story> left() {
        return scene.events().stream()
                .filter(event -> event.subject().endsWith("/" + address))
                .reduce((former, later) -> later)
                .map(last -> new Telling()
                        .state("GONE", Optional.of(last.at()))
                        .why("it was here and is no more; the last that happened: " + last.message())
                        .told());
    }

    /** The last trace of it: the kernel has it and nobody else. */
    private Optional<Explanation.Story> connectedOnly() {
        return scene.sandboxes()
                .filter(sandbox -> sandbox.addresses().stream()
                        .anyMatch(ip -> AddressFormat.text(ip).equals(address)))
                .findFirst()
                .map(sandbox -> new Telling()
                        .state("UNTRACKED", Optional.empty())
                        .pod(sandbox.pod())
                        .owner(Optional.of(sandbox.owner()))
                        .why("the kernel routes it to container "
                                + sandbox.owner().containerId() + ", and neither database nor pool knows it")
                        .told());
    }
}
