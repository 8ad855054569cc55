package io.enipam.diagnostics.explain;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.explain.Explanation.SourceSummary;
import io.enipam.diagnostics.explain.NameResolver.Subject;
import io.enipam.diagnostics.explain.PluginWords.CheckFinding;
import io.enipam.diagnostics.readiness.Trouble;
import io.enipam.diagnostics.sources.NodeSources.CloudAnswer;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.NodeSources.Sandboxes;
import io.enipam.diagnostics.sources.PodSource.KnownPods;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Source;
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
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All that an explanation is made of. Immutable.
 *
 * @param differences those that lasted
 * @param events what the daemon remembers, oldest first
 * @param calls of the cloud, latest first
 * @param decisions what the next garbage collection makes of the leases and claims that are explained
 * @param troubles of the daemon
 */
record ExplainContext(
        Snapshot snapshot,
        List<Difference> differences,
        List<Event> events,
        List<CloudCall> calls,
        Map<OwnerKey, OrphanDecision> decisions,
        PluginWords plugins,
        List<Trouble> troubles) {
    ExplainContext with(Map<OwnerKey, OrphanDecision> made) {
        return new ExplainContext(snapshot, differences, events, calls, made, plugins, troubles);
    }

    ExplainContext with(List<CheckFinding> findings) {
        return new ExplainContext(snapshot, differences, events, calls, decisions, plugins.with(findings), troubles);
    }

    /** Why a pod that has an address has no network; empty if it has one. */
    Optional<Trouble> lossOf(PodRef pod) {
        return troubles.stream()
                .filter(trouble -> trouble.lost().contains(pod.toString()))
                .findFirst();
    }

    /** What pods lost with an ENI, or on it. */
    Optional<Trouble> lossOn(String eni) {
        return troubles.stream()
                .filter(trouble -> !trouble.lost().isEmpty() && trouble.enis().contains(eni))
                .findFirst();
    }

    Stream<ServedClaim> claims() {
        return plugins.claims().stream();
    }

    /** Some part of a source's answer; nothing of a source that did not answer. */
    private <A, T> Stream<T> all(Class<A> source, Function<A, List<T>> part) {
        return snapshot.answer(source).stream().flatMap(answer -> part.apply(answer).stream());
    }

    Stream<PoolView.Entry> entries() {
        return all(PoolState.class, state -> state.pool().entries());
    }

    Stream<PoolView.Entry> entries(String address) {
        return entries().filter(entry -> Statement.hosts(entry.resource()).contains(address));
    }

    Stream<PoolView.Entry> entriesOn(String eni) {
        return entries().filter(entry -> Statement.eniOf(entry.resource()).equals(eni));
    }

    Optional<PoolView> pool() {
        return snapshot.answer(PoolState.class).map(PoolState::pool);
    }

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
        return all(ResourceDb.Contents.class, ResourceDb.Contents::leases);
    }

    Stream<Lease> leases(PodRef pod) {
        return leases().filter(lease -> lease.pod().equals(pod));
    }

    Stream<Hold> holds() {
        return all(ResourceDb.Contents.class, ResourceDb.Contents::holds);
    }

    Stream<CloudJournal.Entry> operations() {
        return all(ResourceDb.Contents.class, ResourceDb.Contents::operations);
    }

    Stream<EniDirectory.Eni> enis() {
        return all(KnownEnis.class, KnownEnis::enis);
    }

    Optional<EniDirectory.Eni> registered(String eni) {
        return enis().filter(known -> known.id().equals(eni)).findFirst();
    }

    Stream<ObservedEni> seen() {
        return all(CloudAnswer.class, answer -> answer.state().enis());
    }

    Optional<ObservedEni> seen(String eni) {
        return seen().filter(known -> known.id().equals(eni)).findFirst();
    }

    Stream<ObservedVSwitch> vswitches() {
        return all(CloudAnswer.class, answer -> answer.state().vswitches());
    }

    Stream<Attachment> sandboxes() {
        return all(Sandboxes.class, Sandboxes::attached);
    }

    Stream<Pod> pods() {
        return all(KnownPods.class, KnownPods::pods);
    }

    /** Whether an ENI of the cloud is attached to this node's instance. */
    boolean isHere(ObservedEni eni) {
        return snapshot.answer(CloudAnswer.class)
                .filter(cloud -> eni.instance().equals(cloud.state().instance()))
                .isPresent();
    }

    /** Whether the cloud has a lost address on its ENI again, and the ENI serves this node. */
    boolean isBack(PoolView.Entry entry) {
        return snapshot.answer(CloudAnswer.class)
                .flatMap(cloud -> cloud.eni(Statement.eniOf(entry.resource())).filter(cloud::serves))
                .filter(seen -> seen.addresses().containsAll(Statement.hosts(entry.resource())))
                .isPresent();
    }

    /** What the API server says of an owner's pod, if that has lastingly been gone. */
    Optional<String> podGone(OwnerKey owner) {
        return differences.stream()
                .filter(found -> found.kind() == Difference.Kind.POD_GONE
                        && found.owner().equals(Optional.of(owner)))
                .findFirst()
                .map(found -> found.says().getOrDefault(Source.API_SERVER, ""));
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
                .flatMap(statement -> statement.since().stream())
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
        Predicate<Statement> shown = statement -> subject.kind() != Subject.Kind.ENI
                || statement.topic() == Topic.ENI
                || statement.topic() == Topic.OPERATION;
        Map<String, Long> counts =
                fitting.stream().filter(shown.negate()).collect(groupingBy(Statement::state, TreeMap::new, counting()));
        return Stream.concat(
                        fitting.stream().filter(shown).map(Statement::words).distinct(),
                        counts.entrySet().stream()
                                .map(count -> count.getValue() + " " + count.getKey() + " of its addresses"))
                .toList();
    }

    /** The vSwitch from whose range an address is. */
    Optional<ObservedVSwitch> vswitchOf(String address) {
        return vswitches().filter(vswitch -> contains(vswitch.cidr(), address)).findFirst();
    }

    /** @param cidr {@code 10.0.1.0/24}; one that is not so contains nothing */
    static boolean contains(String cidr, String address) {
        try {
            Address range = Address.parse(cidr);
            byte[] network = range.ip().getAddress();
            byte[] ip = Address.literal(address).getAddress();
            int host = network.length * Byte.SIZE - range.prefixLength();
            return ip.length == network.length
                    && new BigInteger(ip).shiftRight(host).equals(new BigInteger(network).shiftRight(host));
        } catch (IllegalArgumentException nonsense) {
            return false;
        }
    }
}
