package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a word that an operator typed may name. Pure. */
final class NameResolver {
    /** A shorter beginning of a container's id names too many. */
    private static final int SHORTEST = 4;
    /** More at once are unreadable. */
    static final int MOST = 20;

    private static final Set<String> OF_PODS = Set.of("LeaseGranted", "LeaseRepeated", "LeaseRefused", "LeaseReleased");

    private final ExplainContext context;
    private final Map<OwnerKey, PodRef> owners = new TreeMap<>();
    private final Set<PodRef> pods;
    private final Set<String> enis = new TreeSet<>();

    NameResolver(ExplainContext context) {
        this.context = context;
        context.sandboxes()
                .forEach(sandbox -> owners.put(
                        sandbox.owner(), sandbox.pod().orElseGet(() -> PlaceholderPod.podOf(sandbox.owner()))));
        context.agenda().queue().forEach(waiter -> owners.put(waiter.owner(), waiter.pod()));
        context.entries()
                .forEach(entry ->
                        entry.owner().ifPresent(owner -> entry.pod().ifPresent(pod -> owners.put(owner, pod))));
        context.leases().forEach(lease -> owners.put(lease.owner(), lease.pod()));
        this.pods = Stream.of(
                        context.pods().map(Pod::ref),
                        context.leases().map(Lease::pod),
                        context.agenda().queue().stream().map(waiter -> waiter.pod()),
                        context.agenda().busy().stream(),
                        context.entries().flatMap(entry -> entry.pod().stream()),
                        context.holds().map(hold -> hold.pod()),
                        context.events().stream().flatMap(NameResolver::podOf))
                .flatMap(all -> all)
                .collect(Collectors.toSet());
        context.enis().forEach(eni -> enis.add(eni.id()));
        context.seen().forEach(eni -> enis.add(eni.id()));
        context.entries().map(ExplainContext::eniOf).filter(id -> !id.isEmpty()).forEach(enis::add);
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

    /**
     * What a word names.
     *
     * @param first at most {@value #MOST}
     * @param more how many it names besides
     */
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
        address(what).ifPresent(subject -> add(subject.kind(), subject.name(), () -> subject, found));
        enis.stream().filter(what::equals).forEach(id -> add(Subject.Kind.ENI, id, () -> Subject.eni(id), found));
        byMac(what).forEach(id -> add(Subject.Kind.ENI, id, () -> Subject.eni(id), found));
        context.entries()
                .filter(entry -> entry.resource().id().value().equals(what))
                .filter(entry -> !enis.contains(what))
                .map(this::of)
                .forEach(subject -> add(subject.kind(), subject.name(), () -> subject, found));
        pods.stream()
                .filter(pod -> pod.toString().equals(what) || pod.name().equals(what))
                .sorted(Comparator.comparing(PodRef::toString))
                .forEach(pod -> add(Subject.Kind.POD, pod.toString(), () -> of(pod), found));
        List<OwnerKey> exact = owners.keySet().stream()
                .filter(owner ->
                        owner.toString().equals(what) || owner.containerId().equals(what))
                .toList();
        List<OwnerKey> fitting = exact.isEmpty() && what.length() >= SHORTEST
                ? owners.keySet().stream()
                        .filter(owner -> owner.containerId().startsWith(what))
                        .toList()
                : exact;
        fitting.forEach(owner -> add(Subject.Kind.CONTAINER, owner.toString(), () -> of(owner), found));
        return new Named(
                found.values().stream().limit(MOST).map(Supplier::get).toList(), Math.max(0, found.size() - MOST));
    }

    private static void add(
            Subject.Kind kind, String name, Supplier<Subject> subject, Map<String, Supplier<Subject>> found) {
        found.putIfAbsent(kind + " " + name, subject);
    }

    /** The address that it is, with its holder if it has one. */
    private Optional<Subject> address(String what) {
        String host;
        try {
            host = Address.parse(what).host();
        } catch (IllegalArgumentException noAddress) {
            return Optional.empty();
        }
        return Optional.of(context.entries(host)
                .findFirst()
                .map(entry -> of(entry, host))
                .orElseGet(() -> context.leases()
                        .filter(lease -> lease.resource().addresses().stream()
                                .anyMatch(a -> a.host().equals(host)))
                        .findFirst()
                        .map(lease -> new Subject(
                                Subject.Kind.ADDRESS,
                                host,
                                Set.of(host),
                                Optional.of(lease.pod()),
                                Optional.empty(),
                                ""))
                        .orElseGet(() -> Subject.address(host))));
    }

    private Subject of(PoolView.Entry entry) {
        return of(entry, entry.resource().addresses().get(0).host());
    }

    /** @param host which of its addresses it was named by */
    private static Subject of(PoolView.Entry entry, String host) {
        return new Subject(Subject.Kind.ADDRESS, host, Set.of(host), entry.pod(), entry.owner(), "");
    }

    private Subject of(PodRef pod) {
        Set<String> addresses = context.leases(pod)
                .flatMap(lease -> lease.resource().addresses().stream())
                .map(Address::host)
                .collect(Collectors.toSet());
        return new Subject(Subject.Kind.POD, pod.toString(), addresses, Optional.of(pod), Optional.empty(), "");
    }

    private Subject of(OwnerKey owner) {
        Set<String> addresses = context.leases()
                .filter(lease -> lease.owner().equals(owner))
                .flatMap(lease -> lease.resource().addresses().stream())
                .map(Address::host)
                .collect(Collectors.toSet());
        return new Subject(
                Subject.Kind.CONTAINER,
                owner.toString(),
                addresses,
                Optional.ofNullable(owners.get(owner)),
                Optional.of(owner),
                "");
    }

    private Stream<String> byMac(String what) {
        String mac = what.toLowerCase(Locale.ROOT);
        return Stream.concat(
                        context.enis().filter(eni -> eni.mac().equals(mac)).map(eni -> eni.id()),
                        context.seen().filter(eni -> eni.mac().equals(mac)).map(eni -> eni.id()))
                .filter(id -> mac.contains(":"))
                .distinct();
    }

    /** Every name there is, to find the nearest of. */
    Collection<String> all() {
        List<String> names = new ArrayList<>(enis);
        pods.forEach(pod -> {
            names.add(pod.toString());
            names.add(pod.name());
        });
        owners.keySet().forEach(owner -> names.add(owner.containerId()));
        context.entries()
                .flatMap(entry -> entry.resource().addresses().stream())
                .map(Address::host)
                .forEach(names::add);
        return names;
    }

    /**
     * What is to be explained.
     *
     * @param name its full name
     * @param addresses it itself, or those it has
     * @param eni of an ENI its id, else empty text
     */
    record Subject(
            Kind kind, String name, Set<String> addresses, Optional<PodRef> pod, Optional<OwnerKey> owner, String eni) {
        enum Kind {
            ADDRESS,
            POD,
            ENI,
            CONTAINER
        }

        Subject {
            addresses = Set.copyOf(addresses);
        }

        static Subject address(String address) {
            return new Subject(Subject.Kind.ADDRESS, address, Set.of(address), Optional.empty(), Optional.empty(), "");
        }

        static Subject eni(String id) {
            return new Subject(Subject.Kind.ENI, id, Set.of(), Optional.empty(), Optional.empty(), id);
        }

        /** Whether a source has it. */
        boolean fits(Statement statement) {
            return switch (kind) {
                case ADDRESS ->
                    statement.about(name)
                            || pod.isPresent()
                                    && statement.topic() == Topic.POD
                                    && statement.pod().equals(pod);
                case POD -> statement.pod().equals(pod) || placeOfItsAddress(statement);
                case ENI -> statement.eni().equals(eni);
                case CONTAINER ->
                    statement.owner().equals(owner)
                            || statement.topic() == Topic.POD && statement.pod().equals(pod)
                            || placeOfItsAddress(statement);
            };
        }

        private boolean placeOfItsAddress(Statement statement) {
            return statement.topic() == Topic.ENI && addresses.stream().anyMatch(statement::about);
        }

        /** Whether a difference is about it. */
        boolean fits(Difference difference) {
            return switch (kind) {
                case ADDRESS -> difference.addresses().contains(name);
                case POD -> difference.pod().equals(pod) || shares(difference);
                case ENI -> difference.eni().equals(eni);
                case CONTAINER -> difference.owner().equals(owner) || shares(difference);
            };
        }

        private boolean shares(Difference difference) {
            return difference.addresses().stream().anyMatch(addresses::contains);
        }
    }
}
