package io.enipam.sdk.cluster;

/**
 * An event about an object, as {@code kubectl describe} shows it.
 *
 * @param source who reports it, such as {@code cidrAllocator}
 * @param warning whether its type is {@code Warning}, not {@code Normal}
 * @param reason in CamelCase, of a bounded set
 * @param message cut after 1,024 characters, which is the server's limit
 */
public record ClusterEvent(String source, boolean warning, String reason, String message) {
    private static final int LONGEST = 1_024;

    public ClusterEvent {
        ObjectKind.require("source", source, "[A-Za-z0-9._-]{1,63}");
        ObjectKind.require("reason", reason, "[A-Za-z0-9]{1,128}");
        message = message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...";
    }
}
