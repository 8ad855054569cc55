package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.NameResolver.Subject.Kind;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.sdk.PodRef;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a word that an operator typed may name. Pure. */
final class NameResolver {
    /** A shorter beginning of a container's id names too many. */
    private static final int SHORTEST = 4;
    /** More at once are unreadable. */
    static final int MOST = 20;

    private static final Set<String> OF_PODS = Set.of(
            "LeaseGranted",
            "LeaseRepeated",
            "LeaseRefused",
            "LeaseReleased",
            "ClaimGranted",
            "ClaimRefused",
            "ClaimReleased");

    private final ExplainContext context;
    private final Map<OwnerKey, PodRef> owners = new TreeMap<>();
    private final Set<PodRef> pods;
    private final Set<String> enis;

    NameResolver(ExplainContext context) {
        this.context = context;
        context.sandboxes().forEach(sandbox -> {
            OwnerKey owner = sandbox.owner();
            owners.put(owner, sandbox.pod().orElseGet(() -> PlaceholderPod.podOf(owner)));
        });
        context.claims()
                .forEach(claim -> claim.owner()
                        .ifPresent(
                                owner -> owners.put(owner, claim.pod().orElseGet(() -> PlaceholderPod.podOf(owner)))));
        context.agenda().queue().forEach(waiter -> owners.put(waiter.owner(), waiter.pod()));
        context.entries()
                .forEach(entry ->
                        entry.owner().ifPresent(owner -> entry.pod().ifPresent(pod -> owners.put(owner, pod))));
        context.leases().forEach(lease -> owners.put(lease.owner(), lease.pod()));
        this.pods = Stream.of(
                        context.pods().map(Pod::ref),
                        context.leases().map(Lease::pod),
                        context.claims().flatMap(claim -> claim.pod().stream()),
                        context.agenda().queue().stream().map(WaiterView::pod),
                        context.agenda().busy().stream(),
                        context.entries().flatMap(entry -> entry.pod().stream()),
                        context.holds().map(Hold::pod),
                        context.events().stream().flatMap(NameResolver::podOf))
                .flatMap(Function.identity())
                .collect(Collectors.toSet());
        this.enis = Stream.of(
                        context.enis().map(EniDirectory.Eni::id),
                        context.seen().map(ObservedEni::id),
                        context.entries().map(entry -> Statement.eniOf(entry.resource())))
                .flatMap(Function.identity())
                .filter(id -> !id.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The pod of an event about a lease; events about resources and sandboxes have other subjects. */
    private static Stream<PodRef> podOf(Event event) {
        if (!OF_PODS.contains(event.type())) {
            return Stream.empty();
        }
        try {
            return Stream.of(PodRef.parse(event.subject()));
        } catch (IllegalArgumentException another) {
            return Stream.empty();
        }
    }

    /** @param first at most {@value #MOST} */
    record Named(List<Subject> first, int more) {}

    /** The things that it names, each once; an address is always one, known or not. */
    List<Subject> of(String what) {
        return named(what).first();
    }

    /**
     * The same, and how many are left out: ten thousand pods may have one name, and each condition reads all leases.
     */
    Named named(String what) {
        Map<String, Supplier<Subject>> found = new LinkedHashMap<>();
        LeaseRecord.addressOf(what).ifPresent(host -> add(Kind.ADDRESS, host, this::address, found));
        String mac = what.toLowerCase(Locale.ROOT);
        Stream.of(
                        enis.stream().filter(what::equals),
                        context.enis().filter(eni -> eni.mac().equals(mac)).map(EniDirectory.Eni::id),
                        context.seen().filter(eni -> eni.mac().equals(mac)).map(ObservedEni::id))
                .flatMap(Function.identity())
                .forEach(id -> add(Kind.ENI, id, Subject::eni, found));
        context.entries()
                .map(PoolView.Entry::resource)
                .filter(resource -> resource.id().value().equals(what) && !enis.contains(what))
                .forEach(resource ->
                        add(Kind.ADDRESS, resource.addresses().get(0).host(), this::address, found));
        pods.stream()
                .filter(pod -> pod.toString().equals(what) || pod.name().equals(what))
                .sorted(Comparator.comparing(PodRef::toString))
                .forEach(pod -> add(Kind.POD, pod, this::pod, found));
        Predicate<OwnerKey> exact =
                owner -> owner.toString().equals(what) || owner.containerId().equals(what);
        Predicate<OwnerKey> begins =
                owner -> what.length() >= SHORTEST && owner.containerId().startsWith(what);
        owners.keySet().stream()
                .filter(owners.keySet().stream().anyMatch(exact) ? exact : begins)
                .forEach(owner -> add(Kind.CONTAINER, owner, this::container, found));
        return new Named(
                found.values().stream().limit(MOST).map(Supplier::get).toList(), Math.max(0, found.size() - MOST));
    }

    private static <T> void add(Kind kind, T name, Function<T, Subject> subject, Map<String, Supplier<Subject>> found) {
        found.putIfAbsent(kind + " " + name, () -> subject.apply(name));
    }

    private Subject address(String host) {
        Optional<PoolView.Entry> entry = context.entries(host).findFirst();
        Optional<PodRef> pod = entry.map(PoolView.Entry::pod)
                .orElseGet(() -> context.leases()
                        .filter(lease -> Statement.hosts(lease.resource()).contains(host))
                        .map(Lease::pod)
                        .findFirst());
        Optional<ServedClaim> claim = context.plugins().holder(host);
        return new Subject(
                Kind.ADDRESS,
                host,
                Set.of(host),
                pod.or(() -> claim.flatMap(ServedClaim::pod)),
                entry.flatMap(PoolView.Entry::owner).or(() -> claim.flatMap(ServedClaim::owner)));
    }

    private Subject pod(PodRef pod) {
        Set<String> addresses = hosts(
                context.leases(pod),
                context.claims().filter(claim -> claim.pod().equals(Optional.of(pod))));
        return new Subject(Kind.POD, pod.toString(), addresses, Optional.of(pod), Optional.empty());
    }

    private Subject container(OwnerKey owner) {
        Set<String> addresses = hosts(
                context.leases().filter(lease -> lease.owner().equals(owner)),
                context.claims().filter(claim -> claim.owner().equals(Optional.of(owner))));
        return new Subject(
                Kind.CONTAINER,
                owner.toString(),
                addresses,
                Optional.ofNullable(owners.get(owner)),
                Optional.of(owner));
    }

    private static Set<String> hosts(Stream<Lease> leases, Stream<ServedClaim> claims) {
        return Stream.concat(
                        leases.flatMap(lease -> Statement.hosts(lease.resource()).stream()),
                        claims.flatMap(PluginWords::hosts))
                .collect(Collectors.toSet());
    }

    /** Every name there is, to find the nearest of. */
    List<String> all() {
        return Stream.of(
                        enis.stream(),
                        pods.stream().flatMap(pod -> Stream.of(pod.toString(), pod.name())),
                        owners.keySet().stream().map(OwnerKey::containerId),
                        context.entries().flatMap(entry -> Statement.hosts(entry.resource()).stream()),
                        context.claims().flatMap(PluginWords::hosts))
                .flatMap(Function.identity())
                .toList();
    }

    /** @param addresses it itself, or those it has */
    record Subject(Kind kind, String name, Set<String> addresses, Optional<PodRef> pod, Optional<OwnerKey> owner) {
        enum Kind {
            ADDRESS,
            POD,
            ENI,
            CONTAINER
        }

        static Subject eni(String id) {
            return new Subject(Kind.ENI, id, Set.of(), Optional.empty(), Optional.empty());
        }

        boolean fits(Statement statement) {
            boolean ofPod = statement.pod().equals(pod);
            boolean place = statement.topic() == Topic.ENI && addresses.stream().anyMatch(statement::about);
            return switch (kind) {
                case ADDRESS -> statement.about(name) || pod.isPresent() && statement.topic() == Topic.POD && ofPod;
                case POD -> ofPod || place;
                case ENI -> statement.eni().equals(name);
                case CONTAINER -> statement.owner().equals(owner) || statement.topic() == Topic.POD && ofPod || place;
            };
        }

        boolean fits(Difference difference) {
            boolean shares = difference.addresses().stream().anyMatch(addresses::contains);
            return switch (kind) {
                case ADDRESS -> difference.addresses().contains(name);
                case POD -> difference.pod().equals(pod) || shares;
                case ENI -> difference.eni().equals(name);
                case CONTAINER -> difference.owner().equals(owner) || shares;
            };
        }
    }
}
