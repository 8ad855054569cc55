package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.InstanceType;
import java.util.Optional;

/** How many addresses an ENI may have: what the type of its instance allows, or fixed numbers while it has none. */
final class EniAddressLimits {
    private static final int MOST_DETACHED = 50;

    private EniAddressLimits() {}

    /** Fails if the ENI has more than it may have where it is. */
    static void check(EmulatedEni eni, CloudState state) {
        check(eni, eni.instanceId().flatMap(state::instance).map(state::typeOf));
    }

    /** Fails if the ENI has more than an instance of the type allows. */
    static void check(EmulatedEni eni, Optional<InstanceType> type) {
        if (eni.ipv4Count() > type.map(InstanceType::ipv4PerEni).orElse(MOST_DETACHED)) {
            throw new ApiException(ApiError.IPV4_COUNT_EXCEEDED);
        }
        if (eni.ipv6s().size() > type.map(InstanceType::ipv6PerEni).orElse(Ipv6AddressAllocator.MOST)) {
            throw new ApiException(ApiError.IPV6_COUNT_EXCEEDED);
        }
    }
}
