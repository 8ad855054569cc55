package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * Something that happened in a plugin, for {@code events}. Immutable and thread-safe.
 *
 * @param type {@code [A-Z][A-Za-z0-9]{0,62}}: {@code RangeFull}, shown as {@code PLUGIN/RangeFull}. A plugin has twenty
 *     different ones; what is beyond is shown as {@code PLUGIN/other}
 * @param subject what it is about: an address, a range, a pod
 * @param message one sentence; what is longer than 500 characters is cut off
 */
public record PluginEvent(Level level, String type, String subject, String message) {
    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Za-z0-9]{0,62}");

    /** How much attention it wants. */
    public enum Level {
        INFO,
        WARNING,
        ERROR
    }

    public PluginEvent {
        Text.require("type of an event", type, TYPE);
    }

    public static PluginEvent info(String type, String subject, String message) {
        return new PluginEvent(Level.INFO, type, subject, message);
    }

    public static PluginEvent warning(String type, String subject, String message) {
        return new PluginEvent(Level.WARNING, type, subject, message);
    }

    public static PluginEvent error(String type, String subject, String message) {
        return new PluginEvent(Level.ERROR, type, subject, message);
    }
}
