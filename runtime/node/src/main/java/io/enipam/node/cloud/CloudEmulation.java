package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.config.DaemonConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.control.CloudControl;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A cloud emulated in this process. */
public interface CloudEmulation extends AutoCloseable {
    /** The connection of this node to it. */
    AliyunConfig client();

    /** Injects faults into the emulated cloud; empty if it has no such control. */
    default Optional<CloudControl> control() {
        return Optional.empty();
    }

    @Override
    void close();

    /** The sandbox's cloud, in this process, on loopback ports that the system chooses, and its only node's connection. */
    public record EmbeddedEmulator(CloudEmulator emulator, AliyunConfig client) implements CloudEmulation {
        /** Starts the emulator with the state of its last run, if that file exists. */
        public static EmbeddedEmulator start(DaemonConfig config, Path stateFile) {
            EmulatorConfig emulated =
                    config.emulator(stateFile, UUID.randomUUID().toString());
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

    /** The fault control of the daemon's cloud, once that has started; empty if it is a real one. Thread-safe. */
    public record EmulatedCloudControl(Optional<CompletableFuture<CloudEmulation>> emulation)
            implements Supplier<CloudControl> {
        /** @throws IpamException INVALID_ARGUMENT if the cloud is a real one; TRY_AGAIN if it has not started yet */
        @Override
        public CloudControl get() {
            CompletableFuture<CloudEmulation> coming = emulation.orElseThrow(EmulatedCloudControl::real);
            if (!coming.isDone() || coming.isCompletedExceptionally()) {
                throw new IpamException(
                        ErrorCode.TRY_AGAIN, "the emulated cloud is not up", "wait for it; see: status");
            }
            return coming.join().control().orElseThrow(EmulatedCloudControl::real);
        }

        private static IpamException real() {
            return new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "this daemon's cloud is not emulated, so nothing can be made to go wrong in it",
                    "use a sandbox (enipam --sandbox), or run the daemon with --emulate");
        }
    }
}
