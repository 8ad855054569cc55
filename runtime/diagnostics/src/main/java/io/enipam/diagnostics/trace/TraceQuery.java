package io.enipam.diagnostics.trace;

import io.enipam.engine.model.Event;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.sdk.Address;
import java.util.Arrays;
import java.util.List;

/**
 * The name that a query is about: a pod, a container, an address, an ENI, a resource, a create, or a request of the
 * cloud.
 */
public record TraceQuery(String name) {
    /** A shorter beginning of a container's id says nothing. */
    private static final int SHORTEST_BEGINNING = 4;

    /** Events that a trace covers better. */
    private static final List<String> TOLD = List.of(
            "LeaseGranted", "LeaseRepeated", "LeaseRefused", "LeaseReleased", "ResourceCreated", "ResourceDisposed");

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
                        .filter(story -> story.subject().owner().stream()
                                .anyMatch(owner -> owner.containerId().startsWith(name)))
                        .toList();
    }

    private static boolean ofSandbox(TraceSnapshot story) {
        return switch (story.operation()) {
            case ADD, DEL, GC -> true;
            case CREATE, DISPOSE, HOLD, CLOUD -> false;
        };
    }

    private boolean isAbout(TraceSnapshot story) {
        boolean named =
                story.subject().pod().stream().anyMatch(pod -> pod.toString().equals(name))
                        || story.subject().owner().stream()
                                .anyMatch(owner -> owner.containerId().equals(name)
                                        || owner.toString().equals(name))
                        || story.subject().name().equals(name)
                        || story.resource().stream()
                                .anyMatch(resource -> resource.parent().equals(name)
                                        || resource.id().value().equals(name)
                                        || resource.addresses().stream()
                                                .map(Address::host)
                                                .anyMatch(name::equals));
        return named || (story.operation() == Operation.CLOUD && isAboutCall(story));
    }

    private boolean isAboutCall(TraceSnapshot call) {
        return Arrays.asList(call.subject().name().split(" ", -1)).contains(name)
                || name.equals(call.attributes().get("made"))
                || Arrays.asList(call.attributes().getOrDefault("addresses", "").split(" ", -1))
                        .contains(name)
                || call.steps().stream()
                        .anyMatch(step -> name.equals(step.attributes().get("requestId")));
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
