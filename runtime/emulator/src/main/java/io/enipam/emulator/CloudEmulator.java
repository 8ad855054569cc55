package io.enipam.emulator;

import java.net.InetSocketAddress;
import java.util.List;

/** A running emulator of ECS, VPC and the metadata service. */
public final class CloudEmulator implements AutoCloseable {
    private CloudEmulator() {}

    /** Starts it. */
    public static CloudEmulator start(EmulatorConfig config) {
        throw new IllegalStateException("not built: " + config.region());
    }

    /** Where ECS and VPC answer. */
    public InetSocketAddress address() {
        throw new IllegalStateException("not built");
    }

    /** Where the metadata service of the first instance answers. */
    public InetSocketAddress metadataAddress() {
        throw new IllegalStateException("not built");
    }

    /** The instances, in the order of the configured types. */
    public List<String> instanceIds() {
        throw new IllegalStateException("not built");
    }

    @Override
    public void close() {}
}
