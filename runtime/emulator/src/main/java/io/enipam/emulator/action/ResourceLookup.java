package io.enipam.emulator.action;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.ActionCall;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniEvent;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.VSwitch;

/** What a call names, or the error that there is no such thing or that it is not fit for the call. */
final class ResourceLookup {
    private ResourceLookup() {}

    /** The ENI of NetworkInterfaceId. */
    static EmulatedEni eni(ActionCall call, CloudState state) {
        String id = call.params().require("NetworkInterfaceId");
        return state.eni(id).orElseThrow(() -> new ApiException(ApiError.ENI_NOT_FOUND, id));
    }

    /** The ENI of NetworkInterfaceId, which must be Available or InUse. */
    static EmulatedEni steadyEni(ActionCall call, CloudState state) {
        EmulatedEni eni = eni(call, state);
        if (!eni.status().isSteady()) {
            throw wrongState(eni);
        }
        return eni;
    }

    /** The instance of InstanceId. */
    static Instance instance(ActionCall call, CloudState state) {
        String id = call.params().require("InstanceId");
        return state.instance(id).orElseThrow(() -> new ApiException(ApiError.INSTANCE_NOT_FOUND, id));
    }

    /** The vSwitch of an ENI. */
    static VSwitch vswitch(String id, CloudState state) {
        return state.vswitch(id).orElseThrow(() -> new ApiException(ApiError.VSWITCH_NOT_FOUND, id));
    }

    /** The status after a client's wish, or the error that it cannot be. */
    static EniStatus next(EmulatedEni eni, EniEvent wish) {
        return eni.status().after(wish).orElseThrow(() -> wrongState(eni));
    }

    /** The error that the ENI is doing something else. */
    static ApiException wrongState(EmulatedEni eni) {
        return new ApiException(ApiError.INVALID_ENI_STATE, eni.status().wireName());
    }
}
