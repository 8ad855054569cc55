package io.enipam.diagnostics.explain;

import io.enipam.aliyun.calls.CloudCall;
import io.enipam.diagnostics.sources.CloudWord;
import io.enipam.diagnostics.sources.EniBook;
import io.enipam.diagnostics.sources.KnownPods;
import io.enipam.diagnostics.sources.PoolWord;
import io.enipam.diagnostics.sources.Sandboxes;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.PendingWork;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudInspector.ObservedVSwitch;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All that an explanation is made of. Immutable.
 *
 * @param snapshot what every source says
 * @param differences those that lasted
 * @param events what the daemon remembers, oldest first
 * @param calls of the cloud, latest first
 * @param decisions what the next garbage collection makes of the leases that are explained
 */
record Scene(
        Snapshot snapshot,
        List<Difference> differences,
        List<Event> events,
        List<CloudCall> calls,
        Map<OwnerKey, OrphanDecision> decisions) {
    Scene with(Map<OwnerKey, OrphanDecision> made) {
        return new Scene(snapshot, differences, events, calls, made);
    }

    Stream<PoolView.Entry> entries() {
        return snapshot.told(PoolWord.class).stream().flatMap(word -> word.pool().entries().stream());
    }

    Stream<PoolView.Entry> entries(String address) {
        return entries()
                .filter(entry -> entry.resource().addresses().stream()
                        .anyMatch(a -> a.host().equals(address)));
    }

    Optional<PoolView> pool() {
        return snapshot.told(PoolWord.class).map(PoolWord::pool);
    }

    /** What the pool was told over what its policy wants. */
    CapacityOverride order() {
        return snapshot.told(PoolWord.class).map(PoolWord::order).orElseGet(() -> CapacityOverride.none(snapshot.at()));
    }

    PendingWork agenda() {
        return snapshot.told(PoolWord.class).map(PoolWord::agenda).orElseGet(() -> PendingWork.empty(snapshot.at()));
    }

    Stream<Lease> leases() {
        return snapshot.told(ResourceDb.Contents.class).stream().flatMap(contents -> contents.leases().stream());
    }

    Stream<Lease> leases(PodRef pod) {
        return leases().filter(lease -> lease.pod().equals(pod));
    }

    Stream<Hold> holds() {
        return snapshot.told(ResourceDb.Contents.class).stream().flatMap(contents -> contents.holds().stream());
    }

    Stream<CloudJournal.Entry> operations() {
        return snapshot.told(ResourceDb.Contents.class).stream().flatMap(contents -> contents.operations().stream());
    }

    Stream<EniDirectory.Eni> book() {
        return snapshot.told(EniBook.class).stream().flatMap(book -> book.enis().stream());
    }

    Optional<EniDirectory.Eni> booked(String eni) {
        return book().filter(known -> known.id().equals(eni)).findFirst();
    }

    Optional<EniDirectory.Eni> bookedHolder(String address) {
        return book().filter(
                        eni -> eni.all().stream().anyMatch(text -> bare(text).equals(address)))
                .findFirst();
    }

    Optional<CloudWord> cloud() {
        return snapshot.told(CloudWord.class);
    }

    Stream<ObservedEni> seen() {
        return cloud().stream().flatMap(word -> word.testimony().enis().stream());
    }

    Optional<ObservedEni> seen(String eni) {
        return seen().filter(known -> known.id().equals(eni)).findFirst();
    }

    Stream<ObservedVSwitch> vswitches() {
        return cloud().stream().flatMap(word -> word.testimony().vswitches().stream());
    }

    Stream<Attachment> sandboxes() {
        return snapshot.told(Sandboxes.class).stream().flatMap(word -> word.attached().stream());
    }

    Stream<Pod> pods() {
        return snapshot.told(KnownPods.class).stream().flatMap(word -> word.pods().stream());
    }

    /** Whether the cloud has a lost address on its ENI again, and the ENI serves this node. */
    boolean isBack(PoolView.Entry entry) {
        return cloud().flatMap(word -> word.eni(eniOf(entry)).filter(word::serves))
                .filter(seen -> entry.resource().addresses().stream()
                        .allMatch(address -> seen.addresses().contains(address.host())))
                .isPresent();
    }

    /** What lasted of this kind about an owner. */
    Optional<Difference> differs(Difference.Kind kind, OwnerKey owner) {
        return differences.stream()
                .filter(found -> found.kind() == kind && found.owner().equals(Optional.of(owner)))
                .findFirst();
    }

    /**
     * Tells how the garbage collection ends a lease whose pod seems to be gone, if it does.
     *
     * @param end what is told of the end
     */
    void tellEnd(OwnerKey owner, String end, Telling telling) {
        OrphanDecision decision = decisions.get(owner);
        if (decision instanceof OrphanDecision.Orphan) {
            telling.next(agenda().next().gc(), end);
        } else if (decision instanceof OrphanDecision.Spared spared) {
            telling.why("the garbage collection spares the lease: " + spared.reason());
            spared.until()
                    .ifPresent(until ->
                            telling.next(Optional.of(until), "from then on, if nothing else shows its pod, " + end));
        }
    }

    static String bare(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    static String eniOf(PoolView.Entry entry) {
        return Saying.eniOf(entry.resource());
    }
}
