package io.enipam.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node's name. Asked of the kernel: a look-up in DNS can take seconds, and tells another name. */
final class HostName {
    private static final Logger LOG = LoggerFactory.getLogger(HostName.class);
    private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    static String orConfigured(String configured) {
        if (!configured.isEmpty()) {
            return configured;
        }
        try {
            return Files.readString(KERNEL).strip();
        } catch (IOException e) {
            LOG.warn(
                    "the host's name cannot be read, so the node is called 'unknown'; set node.name: {}", e.toString());
            return "unknown";
        }
    }
}
