package io.enipam.engine.pool;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.port.EventSink;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports what the provider took and gave back: one event for each ENI, or for an address that is the only one of its
 * ENI.
 */
public final class LossEvents {
    /** So many pods are named in a message; the event's attributes have all of them. */
    private static final int NAMED = 3;

    private final EventSink events;

    public LossEvents(EventSink events) {
        this.events = events;
    }

    /** Reports losses, those of one ENI together. */
    public void lost(List<ResourceLoss> losses) {
        byParent(losses).forEach((parent, together) -> {
            if (together.size() == 1) {
                lost(together.get(0));
                return;
            }
            List<String> pods = pods(together);
            String what = together.size() + " addresses of " + parent + " are not this node's any more";
            if (pods.isEmpty()) {
                publish(Event.Severity.WARNING, "AddressLost", parent, together, what + ": no pod has one of them");
            } else {
                publish(
                        Event.Severity.ERROR,
                        "AddressLost",
                        parent,
                        together,
                        what + ", and " + named(pods)
                                + (pods.size() == 1 ? " has one: that pod has" : " have some: those pods have")
                                + " no network unless they come back; if they do not, delete "
                                + (pods.size() == 1 ? "it" : "them") + ", and find out who took them");
            }
        });
    }

    /** Reports what came back, that of one ENI together. */
    public void regained(List<ResourceLoss> back) {
        byParent(back).forEach((parent, together) -> {
            if (together.size() == 1) {
                regained(together.get(0));
                return;
            }
            publish(
                    Event.Severity.INFO,
                    "AddressRegained",
                    parent,
                    together,
                    together.size() + " addresses of " + parent + " are back: " + named(pods(together))
                            + " have them as before");
        });
    }

    /** Those without a parent each by itself. */
    private static Map<String, List<ResourceLoss>> byParent(List<ResourceLoss> losses) {
        Map<String, List<ResourceLoss>> byParent = new LinkedHashMap<>();
        for (ResourceLoss loss : losses) {
            String parent = loss.resource().parent();
            String key = parent.isEmpty() ? loss.resource().id().value() : parent;
            byParent.computeIfAbsent(key, none -> new ArrayList<>()).add(loss);
        }
        return byParent;
    }

    /** The pods that have an address, or that one is kept for. */
    private static List<String> pods(List<ResourceLoss> losses) {
        return losses.stream()
                .filter(loss -> loss.owner().isPresent())
                .flatMap(loss -> loss.pod().stream())
                .map(PodRef::toString)
                .distinct()
                .sorted()
                .toList();
    }

    private static String named(List<String> pods) {
        String first = pods.stream().limit(NAMED).collect(Collectors.joining(", "));
        int more = pods.size() - NAMED;
        return (pods.size() == 1 ? "pod " : pods.size() + " pods (")
                + first
                + (more > 0 ? " and " + more + " more" : "")
                + (pods.size() == 1 ? "" : ")");
    }

    private void publish(
            Event.Severity severity, String type, String parent, List<ResourceLoss> together, String message) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put("eni", parent);
        attributes.put("addresses", joined(together.stream().map(loss -> host(loss.resource()))));
        attributes.put(
                "resources",
                joined(together.stream().map(loss -> loss.resource().id().value())));
        attributes.put(
                "owners",
                joined(together.stream()
                        .map(loss -> loss.owner().map(OwnerKey::toString).orElse(""))));
        attributes.put("pods", joined(pods(together).stream()));
        events.publish(severity, type, parent, message, attributes);
    }

    private static String joined(Stream<String> all) {
        return all.collect(Collectors.joining(","));
    }

    /** What a loss means, in short. */
    static String ofLost(ResourceLoss loss) {
        return loss.owner().isPresent()
                ? "gone from this node: the pod has no network; if it does not come back, delete the pod"
                : "gone from this node: " + was(loss);
    }

    private static String was(ResourceLoss loss) {
        return "it was " + loss.was().name().toLowerCase(Locale.ROOT) + ", and is lent to no pod";
    }

    private void lost(ResourceLoss loss) {
        String what = "address " + host(loss.resource()) + on(loss.resource()) + " is not this node's any more";
        if (loss.owner().isPresent()) {
            publish(
                    Event.Severity.ERROR,
                    "AddressLost",
                    loss,
                    what + ", and pod " + pod(loss)
                            + " has it: the pod has no network unless it comes back; if it does not, delete the pod,"
                            + " so that it gets another address, and find out who took this one");
            return;
        }
        publish(Event.Severity.WARNING, "AddressLost", loss, what + ": " + was(loss));
    }

    private void regained(ResourceLoss loss) {
        publish(
                Event.Severity.INFO,
                "AddressRegained",
                loss,
                "address " + host(loss.resource()) + on(loss.resource()) + " is back: pod " + pod(loss)
                        + " has it as before");
    }

    private static String pod(ResourceLoss loss) {
        return loss.pod().map(Object::toString).orElse("");
    }

    private void publish(Event.Severity severity, String type, ResourceLoss loss, String message) {
        Resource resource = loss.resource();
        Map<String, String> attributes = new HashMap<>();
        attributes.put("resource", resource.id().value());
        attributes.put("address", host(resource));
        attributes.put("eni", resource.parent());
        loss.pod().ifPresent(pod -> attributes.put("pod", pod.toString()));
        loss.owner().ifPresent(owner -> attributes.put("owner", owner.toString()));
        String subject = loss.owner().isPresent()
                ? loss.pod().map(Object::toString).orElse(resource.id().value())
                : resource.id().value();
        events.publish(severity, type, subject, message, attributes);
    }

    static String host(Resource resource) {
        return AddressFormat.of(resource);
    }

    private static String on(Resource resource) {
        return resource.parent().isEmpty() ? "" : " of " + resource.parent();
    }
}
