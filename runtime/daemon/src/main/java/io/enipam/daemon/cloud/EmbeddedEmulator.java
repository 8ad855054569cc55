package io.enipam.daemon.cloud;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.UUID;

/** The sandbox's cloud, in this process, on loopback ports of the system's choice. */
public final class EmbeddedEmulator implements AutoCloseable {
    private final CloudEmulator emulator;
    private final EmulatorConfig emulated;

    private EmbeddedEmulator(CloudEmulator emulator, EmulatorConfig emulated) {
        this.emulator = emulator;
        this.emulated = emulated;
    }

    /** Starts it; its state is that of the last run if the file is there. */
    public static EmbeddedEmulator start(DaemonConfig config, Path stateFile) {
        EmulatorConfig emulated = config.emulator(stateFile, UUID.randomUUID().toString());
        return new EmbeddedEmulator(CloudEmulator.start(emulated), emulated);
    }

    /** How its one node reaches it. */
    public AliyunConfig client(DaemonConfig config) {
        return config.cloud(emulated, http(emulator.address()), http(emulator.metadataAddress()));
    }

    private static URI http(InetSocketAddress address) {
        return URI.create("http://" + address.getHostString() + ":" + address.getPort());
    }

    @Override
    public void close() {
        emulator.close();
    }
}
