package io.enipam.diagnostics.explain;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.explain.Explanation.ConditionBuilder;
import io.enipam.diagnostics.explain.Explanation.SourceSummary;
import io.enipam.diagnostics.explain.NameResolver.Subject;
import io.enipam.diagnostics.sources.ApiServerSource.KnownPods;
import io.enipam.diagnostics.sources.CloudSource.CloudAnswer;
import io.enipam.diagnostics.sources.EniSource.KnownEnis;
import io.enipam.diagnostics.sources.KernelSource.Sandboxes;
import io.enipam.diagnostics.sources.PoolSource.PoolState;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
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
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
record ExplainContext(
        Snapshot snapshot,
        List<Difference> differences,
        List<Event> events,
        List<CloudCall> calls,
        Map<OwnerKey, OrphanDecision> decisions) {
    ExplainContext with(Map<OwnerKey, OrphanDecision> made) {
        return new ExplainContext(snapshot, differences, events, calls, made);
    }

    Stream<PoolView.Entry> entries() {
        return snapshot.answer(PoolState.class).stream().flatMap(word -> word.pool().entries().stream());
    }

    Stream<PoolView.Entry> entries(String address) {
        return entries()
                .filter(entry -> entry.resource().addresses().stream()
                        .anyMatch(a -> a.host().equals(address)));
    }

    Optional<PoolView> pool() {
        return snapshot.answer(PoolState.class).map(PoolState::pool);
    }

    /** The capacity override in force. */
    CapacityOverride order() {
        return snapshot.answer(PoolState.class)
                .map(PoolState::order)
                .orElseGet(() -> CapacityOverride.none(snapshot.at()));
    }

    PendingWork agenda() {
        return snapshot.answer(PoolState.class)
                .map(PoolState::agenda)
                .orElseGet(() -> PendingWork.empty(snapshot.at()));
    }

    Stream<Lease> leases() {
        return snapshot.answer(ResourceDb.Contents.class).stream().flatMap(contents -> contents.leases().stream());
    }

    Stream<Lease> leases(PodRef pod) {
        return leases().filter(lease -> lease.pod().equals(pod));
    }

    Stream<Hold> holds() {
        return snapshot.answer(ResourceDb.Contents.class).stream().flatMap(contents -> contents.holds().stream());
    }

    Stream<CloudJournal.Entry> operations() {
        return snapshot.answer(ResourceDb.Contents.class).stream().flatMap(contents -> contents.operations().stream());
    }

    Stream<EniDirectory.Eni> enis() {
        return snapshot.answer(KnownEnis.class).stream().flatMap(known -> known.enis().stream());
    }

    Optional<EniDirectory.Eni> registered(String eni) {
        return enis().filter(known -> known.id().equals(eni)).findFirst();
    }

    Optional<EniDirectory.Eni> registeredHolder(String address) {
        return enis().filter(
                        eni -> eni.all().stream().anyMatch(text -> bare(text).equals(address)))
                .findFirst();
    }

    Optional<CloudAnswer> cloud() {
        return snapshot.answer(CloudAnswer.class);
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
        return snapshot.answer(Sandboxes.class).stream().flatMap(word -> word.attached().stream());
    }

    Stream<Pod> pods() {
        return snapshot.answer(KnownPods.class).stream().flatMap(word -> word.pods().stream());
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
     * Describes how the garbage collection ends a lease whose pod seems to be gone, if it does.
     *
     * @param end what the condition says of the end
     */
    void explainEnd(OwnerKey owner, String end, ConditionBuilder condition) {
        OrphanDecision decision = decisions.get(owner);
        if (decision instanceof OrphanDecision.Orphan) {
            condition.next(agenda().next().gc(), end);
        } else if (decision instanceof OrphanDecision.Spared spared) {
            condition.why("the garbage collection spares the lease: " + spared.reason());
            spared.until()
                    .ifPresent(until ->
                            condition.next(Optional.of(until), "from then on, if nothing else shows its pod, " + end));
        }
    }

    static String bare(String address) {
        int slash = address.indexOf('/');
        return slash < 0 ? address : address.substring(0, slash);
    }

    static String eniOf(PoolView.Entry entry) {
        return Statement.eniOf(entry.resource());
    }

    /** What each source says of a thing, source by source. */
    List<SourceSummary> summaries(Subject subject, List<Difference> about) {
        return snapshot.replies().stream()
                .map(reply -> summary(reply, subject, about))
                .toList();
    }

    private SourceSummary summary(SourceReply<?> reply, Subject subject, List<Difference> about) {
        List<Statement> fitting =
                reply.statements().stream().filter(subject::fits).toList();
        Optional<Instant> since = fitting.stream()
                .filter(statement -> subject.kind() != Subject.Kind.ENI || statement.topic() == Topic.ENI)
                .map(Statement::since)
                .flatMap(Optional::stream)
                .findFirst();
        return new SourceSummary(
                reply,
                snapshot.age(reply),
                reply.known() ? words(subject, fitting) : List.of(reply.why()),
                since,
                about.stream().anyMatch(found -> found.involves(reply.source())));
    }

    /** All of it; what hangs on an ENI is counted, since it may be fifty. */
    private static List<String> words(Subject subject, List<Statement> fitting) {
        if (subject.kind() != Subject.Kind.ENI) {
            return fitting.stream().map(Statement::words).distinct().toList();
        }
        Map<String, Long> counts = fitting.stream()
                .filter(statement -> statement.topic() != Topic.ENI && statement.topic() != Topic.OPERATION)
                .collect(Collectors.groupingBy(Statement::state, TreeMap::new, Collectors.counting()));
        Stream<String> own = fitting.stream()
                .filter(statement -> statement.topic() == Topic.ENI || statement.topic() == Topic.OPERATION)
                .map(Statement::words);
        return Stream.concat(
                        own,
                        counts.entrySet().stream()
                                .map(count -> count.getValue() + " " + count.getKey() + " of its addresses"))
                .toList();
    }

    /** The vSwitch from whose range an address is. */
    Optional<ObservedVSwitch> vswitchOf(String address) {
        return vswitches().filter(vswitch -> contains(vswitch.cidr(), address)).findFirst();
    }

    /** @param cidr {@code 10.0.1.0/24}; one that is not so contains nothing */
    private static boolean contains(String cidr, String address) {
        Address range;
        try {
            range = Address.parse(cidr);
        } catch (IllegalArgumentException nonsense) {
            return false;
        }
        byte[] one = range.ip().getAddress();
        byte[] other = Address.literal(address).getAddress();
        if (one.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < range.prefixLength(); bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((one[bit / 8] & mask) != (other[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }
}
