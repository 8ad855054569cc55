package io.enipam.engine.reconcile;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.Hosts;
import io.enipam.engine.pool.Loss;
import io.enipam.engine.port.EventSink;
import io.enipam.sdk.Resource;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Tells what the outside took and gave back: one event for each. */
public final class LossNotices {
    private final EventSink events;

    public LossNotices(EventSink events) {
        this.events = events;
    }

    /**
     * Tells of a loss.
     *
     * @return what it means, in short
     */
    public String lost(Loss loss) {
        String what = "address " + host(loss.resource()) + on(loss.resource()) + " is gone from the cloud";
        if (loss.owner().isPresent()) {
            publish(
                    Event.Severity.ERROR,
                    "AddressLost",
                    loss,
                    what + ", and pod " + pod(loss)
                            + " has it: the pod has no network; delete the pod, so that it comes back with another address,"
                            + " and find out who took this one");
            return "gone from the cloud: the pod has no network; delete it";
        }
        String was = "it was " + loss.was().name().toLowerCase(Locale.ROOT) + ", and is lent to nobody";
        publish(Event.Severity.WARNING, "AddressLost", loss, what + ": " + was);
        return "gone from the cloud: " + was;
    }

    /**
     * Tells of what came back.
     *
     * @return what it means, in short
     */
    public String regained(Loss loss) {
        publish(
                Event.Severity.INFO,
                "AddressRegained",
                loss,
                "address " + host(loss.resource()) + on(loss.resource()) + " is back in the cloud: pod " + pod(loss)
                        + " has it as before");
        return "back in the cloud: the pod has it as before";
    }

    private static String pod(Loss loss) {
        return loss.pod().map(Object::toString).orElse("");
    }

    private void publish(Event.Severity severity, String type, Loss loss, String message) {
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
        return Hosts.of(resource);
    }

    private static String on(Resource resource) {
        return resource.parent().isEmpty() ? "" : " of " + resource.parent();
    }
}
