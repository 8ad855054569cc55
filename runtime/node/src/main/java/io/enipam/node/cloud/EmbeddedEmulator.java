package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.config.DaemonConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.control.CloudControl;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * The sandbox's cloud, in this process, on loopback ports of the system's choice.
 *
 * @param emulator the running emulator
 * @param client how its one node reaches it
 */
public record EmbeddedEmulator(CloudEmulator emulator, AliyunConfig client) implements CloudEmulation {
    /** Starts it; its state is that of the last run if the file is there. */
    public static EmbeddedEmulator start(DaemonConfig config, Path stateFile) {
        EmulatorConfig emulated = config.emulator(stateFile, UUID.randomUUID().toString());
        CloudEmulator emulator = CloudEmulator.start(emulated);
        return new EmbeddedEmulator(
                emulator, config.cloud(emulated, http(emulator.address()), http(emulator.metadataAddress())));
    }

    private static URI http(InetSocketAddress address) {
        return URI.create("http://" + address.getHostString() + ":" + address.getPort());
    }

    @Override
    public Optional<CloudControl> control() {
        return Optional.of(emulator.control());
    }

    @Override
    public void close() {
        emulator.close();
    }
}
