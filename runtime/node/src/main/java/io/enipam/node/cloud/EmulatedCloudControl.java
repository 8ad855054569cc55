package io.enipam.node.cloud;

import io.enipam.emulator.control.CloudControl;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The hand behind the daemon's cloud, once there is one. Thread-safe.
 *
 * @param emulation the emulated cloud that is coming up; empty if the cloud is a real one
 */
public record EmulatedCloudControl(Optional<CompletableFuture<CloudEmulation>> emulation) implements Supplier<CloudControl> {
    /**
     * The hand.
     *
     * @throws IpamException INVALID_ARGUMENT if the cloud is a real one; TRY_AGAIN if it is not up yet
     */
    @Override
    public CloudControl get() {
        CompletableFuture<CloudEmulation> coming = emulation.orElseThrow(EmulatedCloudControl::real);
        if (!coming.isDone() || coming.isCompletedExceptionally()) {
            throw new IpamException(ErrorCode.TRY_AGAIN, "the emulated cloud is not up", "wait for it; see: status");
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
