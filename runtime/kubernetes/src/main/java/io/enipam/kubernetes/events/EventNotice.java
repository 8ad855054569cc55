package io.enipam.kubernetes.events;

import io.enipam.sdk.PodRef;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A report about a pod or the node.
 *
 * @param pod empty for the node
 * @param uid the pod's UID, or empty text if unknown
 * @param warning whether it is a warning; otherwise it is normal
 * @param reason in CamelCase, of a bounded set
 * @param message for operators
 */
public record EventNotice(Optional<PodRef> pod, String uid, boolean warning, String reason, String message) {
    /** The API server's limit of a message. */
    public static final int LONGEST = 1024;

    public EventNotice {
        message = message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...";
    }

    /** Variable parts of a message: durations, times and request ids. */
    private static final Pattern PASSING = Pattern.compile("\\b\\d+(?:\\.\\d+)? ?(?:ms|s|min|h)\\b"
            + "|\\b\\d{1,2}:\\d{2}:\\d{2}\\b"
            + "|\\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\\b");

    /** The message without its variable parts: equal for notices of the same thing. */
    EventNotice lasting() {
        return new EventNotice(
                pod, uid, warning, reason, PASSING.matcher(message).replaceAll("#"));
    }

    public static EventNotice ofPod(PodRef pod, String uid, boolean warning, String reason, String message) {
        return new EventNotice(Optional.of(pod), uid, warning, reason, message);
    }

    public static EventNotice ofNode(boolean warning, String reason, String message) {
        return new EventNotice(Optional.empty(), "", warning, reason, message);
    }
}
