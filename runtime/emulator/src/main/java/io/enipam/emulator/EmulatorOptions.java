package io.enipam.emulator;

import io.enipam.emulator.action.Actions;
import io.enipam.emulator.dataplane.DataplaneSpec;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.metadata.MetadataSettings;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.TreeSet;

/**
 * What an emulated cloud is like beside what is in it. Immutable.
 *
 * @param throttle how many calls a minute each API takes
 * @param metadata how the metadata service works
 * @param controlListen where the control API answers, a unix socket or a loopback address, whose port 0 takes a free one; empty:
 *     nowhere
 * @param dataplane the network that the books speak of; empty: there is none
 */
public record EmulatorOptions(
        ThrottleLimits throttle,
        MetadataSettings metadata,
        Optional<SocketAddress> controlListen,
        Optional<DataplaneSpec> dataplane) {
    /** No limits, no tokens, no control API, no network: what tests begin with. */
    public static final EmulatorOptions CALM =
            new EmulatorOptions(ThrottleLimits.none(), MetadataSettings.USUAL, Optional.empty(), Optional.empty());

    /**
     * Checks it.
     *
     * @throws IllegalArgumentException if the control API would be reachable from other machines, or a limit is one of an
     *     action that there is not
     */
    public EmulatorOptions {
        throttle.perMinute().keySet().stream()
                .filter(api -> !api.equals(FaultRule.ANY) && !Actions.names().contains(api))
                .forEach(api -> {
                    throw new IllegalArgumentException("there is no action '" + api + "' to limit; there are "
                            + String.join(", ", new TreeSet<>(Actions.names())));
                });
        controlListen.ifPresent(address -> {
            if (address instanceof InetSocketAddress inet
                    && (inet.isUnresolved() || !inet.getAddress().isLoopbackAddress())) {
                throw new IllegalArgumentException("the control API listens on loopback addresses alone, not on "
                        + inet.getHostString() + ": every client that reaches it can break the cloud");
            }
        });
    }

    /** The same with other limits. */
    public EmulatorOptions withThrottle(ThrottleLimits limits) {
        return new EmulatorOptions(limits, metadata, controlListen, dataplane);
    }

    /** The same with another metadata service. */
    public EmulatorOptions withMetadata(MetadataSettings settings) {
        return new EmulatorOptions(throttle, settings, controlListen, dataplane);
    }

    /** The same with a control API there. */
    public EmulatorOptions withControl(SocketAddress listen) {
        return new EmulatorOptions(throttle, metadata, Optional.of(listen), dataplane);
    }
}
