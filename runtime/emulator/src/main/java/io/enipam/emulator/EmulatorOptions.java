package io.enipam.emulator;

import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.RoleCredentials.RoleSettings;
import io.enipam.emulator.dataplane.Dataplane.DataplaneSpec;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * How an emulated cloud behaves, beside its contents. Immutable.
 *
 * @param throttle how many calls a minute each API takes
 * @param controlListen where the control API answers, a unix socket or a loopback address, whose port 0 takes a free
 *     one; empty: nowhere
 * @param dataplane the network of the attached ENIs; empty: there is none
 */
public record EmulatorOptions(
        ThrottleLimits throttle,
        MetadataSettings metadata,
        Optional<SocketAddress> controlListen,
        Optional<DataplaneSpec> dataplane) {
    /**
     * Settings of the metadata service. If {@code tokenRequired}, each request needs a token (the security-hardened
     * mode); otherwise one that is sent must be good.
     */
    public record MetadataSettings(boolean tokenRequired, RoleSettings role) {
        /** No token needed, credentials every three hours. */
        public static final MetadataSettings USUAL = new MetadataSettings(false, RoleSettings.USUAL);
    }

    /** No limits, no tokens, no control API, no network: what tests begin with. */
    public static final EmulatorOptions CALM =
            new EmulatorOptions(ThrottleLimits.none(), MetadataSettings.USUAL, Optional.empty(), Optional.empty());

    /**
     * Checks it. Throws IllegalArgumentException if the control API would be reachable from other machines, or a limit
     * is one of an action that there is not.
     */
    public EmulatorOptions {
        throttle.perMinute().keySet().stream()
                .filter(api -> !api.equals(FaultRule.ANY) && !Action.names().contains(api))
                .forEach(api -> {
                    throw new IllegalArgumentException("there is no action '" + api + "' to limit; there are "
                            + String.join(", ", Action.names()));
                });
        controlListen.ifPresent(address -> {
            if (address instanceof InetSocketAddress inet
                    && (inet.isUnresolved() || !inet.getAddress().isLoopbackAddress())) {
                throw new IllegalArgumentException("the control API listens on loopback addresses alone, not on "
                        + inet.getHostString() + ": every client that reaches it can break the cloud");
            }
        });
    }
}
