package io.enipam.engine.pool;

import static io.enipam.engine.model.Event.Severity.ERROR;
import static io.enipam.engine.model.Event.Severity.INFO;
import static io.enipam.engine.model.Event.Severity.WARNING;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.FactoryListComparison.ResourceLoss;
import io.enipam.engine.port.EventSink;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reports what the provider took and gave back: one event for each ENI, or for an address that is the only one of its
 * ENI.
 */
public record LossEvents(EventSink events) {
    /** So many pods are named in a message; the event's attributes have all of them. */
    private static final int NAMED = 3;

    /** Reports losses, those of one ENI together. */
    public void lost(List<ResourceLoss> losses) {
        byParent(losses).forEach((parent, together) -> {
            ResourceLoss first = together.get(0);
            boolean one = together.size() == 1;
            List<String> pods = pods(together);
            String what = one
                    ? "address " + place(first) + " is not this node's any more"
                    : together.size() + " addresses of " + parent + " are not this node's any more";
            String meaning;
            if (pods.isEmpty()) {
                meaning = ": " + (one ? was(first) : "no pod has one of them");
            } else if (one) {
                meaning = ", and " + named(pods)
                        + " has it: the pod has no network unless it comes back; if it does not, delete the pod,"
                        + " so that it gets another address, and find out who took this one";
            } else {
                meaning = ", and " + named(pods)
                        + (pods.size() == 1 ? " has one: that pod has" : " have some: those pods have")
                        + " no network unless they come back; if they do not, delete "
                        + (pods.size() == 1 ? "it" : "them") + ", and find out who took them";
            }
            publish(pods.isEmpty() ? WARNING : ERROR, "AddressLost", parent, together, what + meaning);
        });
    }

    /** What a comparison says of losses that it does not believe. */
    static String unconfirmed(String factory, int doubtful, int listed) {
        return "factory " + factory + " lists " + doubtful + " addresses no more that pods have, and " + listed
                + " in all: the pods keep them until 'pool sync --accept-loss' says that they are lost";
    }

    /** Reports losses that are not believed until an operator accepts them. */
    public void doubtful(String factory, int doubtful, int listed) {
        Map<String, String> details = Map.of("addresses", Integer.toString(doubtful));
        events.publish(ERROR, "LossUnconfirmed", factory, unconfirmed(factory, doubtful, listed), details);
    }

    /** Reports what came back, that of one ENI together. */
    public void regained(List<ResourceLoss> back) {
        byParent(back).forEach((parent, together) -> {
            String pods = named(pods(together));
            String what = together.size() == 1
                    ? "address " + place(together.get(0)) + " is back: " + pods + " has it as before"
                    : together.size() + " addresses of " + parent + " are back: " + pods + " have them as before";
            publish(INFO, "AddressRegained", parent, together, what);
        });
    }

    /** Those without a parent each by itself. */
    private static Map<String, List<ResourceLoss>> byParent(List<ResourceLoss> losses) {
        return losses.stream()
                .collect(Collectors.groupingBy(
                        loss -> loss.resource().parent().isEmpty()
                                ? loss.resource().id().value()
                                : loss.resource().parent(),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

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
        return pods.size() == 1
                ? "pod " + first
                : pods.size() + " pods (" + first + (more > 0 ? " and " + more + " more" : "") + ")";
    }

    private void publish(
            Event.Severity severity, String type, String parent, List<ResourceLoss> together, String message) {
        Map<String, String> attributes = new HashMap<>();
        if (together.size() > 1) {
            attributes.put("eni", parent);
            attributes.put("addresses", joined(together, loss -> host(loss.resource())));
            attributes.put("resources", joined(together, loss -> loss.resource().id()));
            attributes.put(
                    "owners",
                    joined(
                            together,
                            loss -> loss.owner().map(OwnerKey::toString).orElse("")));
            attributes.put("pods", String.join(",", pods(together)));
            events.publish(severity, type, parent, message, attributes);
            return;
        }
        ResourceLoss loss = together.get(0);
        Resource resource = loss.resource();
        attributes.put("resource", resource.id().value());
        attributes.put("address", host(resource));
        attributes.put("eni", resource.parent());
        loss.pod().ifPresent(pod -> attributes.put("pod", pod.toString()));
        loss.owner().ifPresent(owner -> attributes.put("owner", owner.toString()));
        String subject =
                pods(together).stream().findFirst().orElse(resource.id().value());
        events.publish(severity, type, subject, message, attributes);
    }

    private static String joined(List<ResourceLoss> losses, Function<ResourceLoss, Object> text) {
        return losses.stream().map(text).map(Object::toString).collect(Collectors.joining(","));
    }

    static String ofLost(ResourceLoss loss) {
        return "gone from this node: "
                + (loss.owner().isPresent()
                        ? "the pod has no network; if it does not come back, delete the pod"
                        : was(loss));
    }

    private static String was(ResourceLoss loss) {
        return "it was " + loss.was().name().toLowerCase(Locale.ROOT) + ", and is lent to no pod";
    }

    static String host(Resource resource) {
        return AddressFormat.of(resource);
    }

    private static String place(ResourceLoss loss) {
        String parent = loss.resource().parent();
        return host(loss.resource()) + (parent.isEmpty() ? "" : " of " + parent);
    }
}
