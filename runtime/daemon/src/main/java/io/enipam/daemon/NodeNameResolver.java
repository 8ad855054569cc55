package io.enipam.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's name: as configured, else of the downward API, else of the kernel, in small letters as the kubelet has it. The
 * latter need not be the name in the cluster: nothing is taken from anybody before the cluster has confirmed it. A look-up in DNS
 * can take seconds, and tells another name.
 */
final class NodeNameResolver {
    private static final Logger LOG = LoggerFactory.getLogger(NodeNameResolver.class);
    private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

    private NodeNameResolver() {}

    /** @param environment of the process; a DaemonSet sets {@code NODE_NAME} there, from {@code spec.nodeName} */
    static String orConfigured(String configured, Map<String, String> environment) {
        String told = configured.isEmpty() ? environment.getOrDefault("NODE_NAME", "") : configured;
        if (!told.isEmpty()) {
            return told;
        }
        try {
            return Files.readString(KERNEL).strip().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            LOG.warn(
                    "the host's name cannot be read, so the node is called 'unknown'; set node.name: {}", e.toString());
            return "unknown";
        }
    }
}
