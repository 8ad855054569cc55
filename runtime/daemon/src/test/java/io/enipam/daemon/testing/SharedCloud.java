package io.enipam.daemon.testing;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.config.DaemonConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.control.CloudControl;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One emulated cloud for the daemons of several nodes. */
public final class SharedCloud implements AutoCloseable {
    private static final String SECRET = UUID.randomUUID().toString();

    private final String[] types;
    private final Path state;
    private @Nullable EmulatorConfig config;
    private @Nullable CloudEmulator emulator;
    private @Nullable AliyunConfig account;

    /** @param types of the nodes' instances */
    public SharedCloud(Path state, String... types) {
        this.state = state;
        this.types = types.clone();
    }

    /** What the daemon of a node runs in, counted from 0. */
    public EmulatedSurroundings node(int number) {
        return new EmulatedSurroundings() {
            @Override
            public CloudEmulation startEmulator(DaemonConfig daemon, Path stateFile) {
                return client(daemon, number);
            }
        };
    }

    private synchronized CloudEmulation client(DaemonConfig daemon, int number) {
        if (emulator == null) {
            config = daemon.emulator(state, SECRET).withInstanceTypes(types);
            emulator = CloudEmulator.start(config);
        }
        String instance = emulator.instanceIds().get(number);
        AliyunConfig client = daemon.cloud(config, http(emulator.address()), http(emulator.metadataAddress(instance)));
        account = client;
        return new CloudEmulation() {
            @Override
            public AliyunConfig client() {
                return client;
            }

            @Override
            public void close() {
                // the other nodes' cloud goes on
            }
        };
    }

    private static URI http(InetSocketAddress address) {
        return URI.create("http://" + address.getHostString() + ":" + address.getPort());
    }

    /** What changes the cloud's behaviour; a daemon must have been started. */
    public synchronized CloudControl control() {
        return Optional.ofNullable(emulator).orElseThrow().control();
    }

    /** Another actor with the account's key; a daemon must have been started. */
    public synchronized SomebodyElse other() {
        return new SomebodyElse(Optional.ofNullable(account).orElseThrow());
    }

    @Override
    public synchronized void close() {
        if (emulator != null) {
            emulator.close();
        }
    }
}
