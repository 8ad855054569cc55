package io.enipam.node.cluster;

import java.nio.file.Path;

/**
 * Where the kubelet's device plugins are.
 *
 * @param wanted whether the kubelet is told of devices at all
 * @param optional whether a directory that is not there means that there is no kubelet
 * @param directory of the sockets
 */
public record DevicePluginDirectory(boolean wanted, boolean optional, Path directory) {
    /** As {@code kubelet.device_plugins} has it. */
    public static final String AUTO = "auto";

    /** As {@code kubelet.device_plugins} has it. */
    public static final String OFF = "off";

    /**
     * What the setting means.
     *
     * @param setting {@code auto}, {@code off} or a path
     * @param usual the directory of {@code auto}
     */
    public static DevicePluginDirectory of(String setting, Path usual) {
        return switch (setting) {
            case AUTO -> new DevicePluginDirectory(true, true, usual);
            case OFF -> new DevicePluginDirectory(false, true, usual);
            default -> new DevicePluginDirectory(true, false, Path.of(setting));
        };
    }
}
