package io.enipam.kubernetes.events;

import io.enipam.sdk.PodRef;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is to be told about a pod or the node.
 *
 * @param pod empty for the node
 * @param uid the pod's UID, or empty text where it is not known
 * @param warning whether it is one, else it is normal
 * @param reason in CamelCase, of a bounded set
 * @param message for a person
 */
public record EventNotice(Optional<PodRef> pod, String uid, boolean warning, String reason, String message) {
    /** What the API server takes as a message. */
    public static final int LONGEST = 1024;

    public EventNotice {
        message = message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...";
    }

    /** What in a message differs from one time to the next: how long, until when, and the names of requests. */
    private static final Pattern PASSING = Pattern.compile("\\b\\d+(?:\\.\\d+)? ?(?:ms|s|min|h)\\b"
            + "|\\b\\d{1,2}:\\d{2}:\\d{2}\\b"
            + "|\\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\b");

    /** The same without what differs from one time to the next: equal for notices of the same thing. */
    EventNotice lasting() {
        return new EventNotice(pod, uid, warning, reason, PASSING.matcher(message).replaceAll("#"));
    }

    public static EventNotice ofPod(PodRef pod, String uid, boolean warning, String reason, String message) {
        return new EventNotice(Optional.of(pod), uid, warning, reason, message);
    }

    public static EventNotice ofNode(boolean warning, String reason, String message) {
        return new EventNotice(Optional.empty(), "", warning, reason, message);
    }
}
