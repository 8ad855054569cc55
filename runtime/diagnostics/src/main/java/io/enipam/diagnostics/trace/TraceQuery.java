package io.enipam.diagnostics.trace;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The name that a query is about: a pod, a container, an address, an ENI, a resource, a create, a key of a controller
 * ({@code EXTENSION/KEY}), or a request of the cloud.
 */
public record TraceQuery(String name) {
    /** A shorter beginning of a container's id says nothing. */
    private static final int SHORTEST_BEGINNING = 4;

    /** Events that a trace covers better. */
    private static final List<String> TOLD = List.of(
            "LeaseGranted",
            "LeaseRepeated",
            "LeaseRefused",
            "LeaseReleased",
            "ClaimGranted",
            "ClaimRefused",
            "ClaimReleased",
            "ResourceCreated",
            "ResourceDisposed");

    /**
     * What belongs to the name, of everything that is remembered; the calls of the cloud alone if nothing else does.
     */
    public List<TraceSnapshot> in(List<TraceSnapshot> all) {
        if (name.isEmpty()) {
            return all.stream().filter(TraceQuery::ofSandbox).toList();
        }
        List<TraceSnapshot> exact = all.stream().filter(this::isAbout).toList();
        if (!exact.isEmpty()) {
            return exact;
        }
        return name.length() < SHORTEST_BEGINNING
                ? List.of()
                : all.stream()
                        .filter(trace -> trace.subject().owner().stream()
                                .anyMatch(owner -> owner.containerId().startsWith(name)))
                        .toList();
    }

    private static boolean ofSandbox(TraceSnapshot trace) {
        return switch (trace.operation()) {
            case ADD, DEL, GC -> true;
            case CREATE, DISPOSE, HOLD, RECONCILE, CLOUD -> false;
        };
    }

    private boolean isAbout(TraceSnapshot trace) {
        return names(trace).anyMatch(name::equals) || (trace.operation() == Operation.CLOUD && isAboutCall(trace));
    }

    /** Keys by which a trace is found that is kept: what is about a name has one of its {@link #probes}. */
    public static Stream<String> keys(TraceSnapshot trace) {
        Stream<String> container =
                trace.subject().owner().stream().map(owner -> LeaseRecord.shortId(owner.containerId()));
        return trace.operation() == Operation.CLOUD
                ? Stream.of(names(trace), trace.subject().serves().stream(), called(trace))
                        .flatMap(Function.identity())
                : Stream.concat(names(trace), container);
    }

    /** The same of an event. */
    public static Stream<String> keys(Event event) {
        String subject = event.subject();
        List<String> keys = new ArrayList<>(List.of(subject));
        for (int at = subject.indexOf('/'); at >= 0; at = subject.indexOf('/', at + 1)) {
            keys.add(subject.substring(0, at));
            keys.add(subject.substring(at + 1));
        }
        keys.addAll(event.attributes().values());
        return keys.stream();
    }

    /** At least one of them is a key of what is about the name; of a container's id, 12 characters have to be given. */
    public List<String> probes() {
        return Stream.of(name, LeaseRecord.shortId(name)).distinct().toList();
    }

    private static Stream<String> names(TraceSnapshot trace) {
        return Stream.of(
                        Stream.of(trace.subject().name()),
                        trace.subject().pod().map(PodRef::toString).stream(),
                        trace.subject().owner().stream()
                                .flatMap(owner -> Stream.of(owner.containerId(), owner.toString())),
                        trace.resource().stream()
                                .flatMap(one -> Stream.of(one.parent(), one.id().value())),
                        trace.resource().stream()
                                .flatMap(one -> one.addresses().stream().map(Address::host)),
                        granted(trace))
                .flatMap(Function.identity());
    }

    /** The addresses that an allocator gave. */
    private static Stream<String> granted(TraceSnapshot trace) {
        return Stream.of(trace.attributes().getOrDefault("granted", "").split(", "))
                .flatMap(address -> Stream.of(address, address.replaceFirst("/.*", "")));
    }

    private boolean isAboutCall(TraceSnapshot call) {
        return called(call).anyMatch(name::equals);
    }

    private static Stream<String> called(TraceSnapshot call) {
        String addresses = call.attributes().getOrDefault("addresses", "");
        return Stream.of(
                        Stream.of((call.subject().name() + " " + addresses).split(" ", -1)),
                        Stream.of(call.attributes().getOrDefault("made", "")),
                        call.steps().stream().map(step -> step.attributes().getOrDefault("requestId", "")))
                .flatMap(Function.identity());
    }

    /** Whether an event belongs to it that no trace covers. */
    public boolean is(Event event) {
        boolean about = event.subject().equals(name)
                || event.subject().endsWith("/" + name)
                || event.subject().startsWith(name + "/")
                || event.attributes().containsValue(name);
        return !name.isEmpty() && about && !TOLD.contains(event.type());
    }
}
