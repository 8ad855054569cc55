package io.enipam.emulator.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.api.ApiError.ApiException;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.EniStatus.EniEvent;
import io.enipam.emulator.cloud.VSwitch;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * One call of an action, with lookups that fail with the API's errors. It meets {@code state} at the moment {@code
 * now}; {@code lasting} says how long a passing status of an ENI lasts, {@code elsewhere} how many addresses of a vSwitch are taken by ENIs that are
 * not in the state.
 */
public record ActionCall(
        Params params,
        CloudState state,
        Instant now,
        Function<EniStatus, Duration> lasting,
        ToIntFunction<String> elsewhere) {
    public Instant endOf(EniStatus status) {
        return now.plus(lasting.apply(status));
    }

    /** The ENI of NetworkInterfaceId. */
    EmulatedEni eni() {
        String id = params.require("NetworkInterfaceId");
        return state.eni(id).orElseThrow(() -> ApiError.ENI_NOT_FOUND.with(id));
    }

    /** The ENI of NetworkInterfaceId, which must be Available or InUse. */
    EmulatedEni steadyEni() {
        EmulatedEni eni = eni();
        if (!eni.attachment().status().isSteady()) {
            throw wrongState(eni);
        }
        return eni;
    }

    Instance instance() {
        String id = params.require("InstanceId");
        return state.instance(id).orElseThrow(() -> ApiError.INSTANCE_NOT_FOUND.with(id));
    }

    VSwitch vswitch(String id) {
        return state.vswitch(id).orElseThrow(() -> ApiError.VSWITCH_NOT_FOUND.with(id));
    }

    /** Takes addresses out of a vSwitch. */
    AddressAllocator allocator(VSwitch vswitch) {
        return new AddressAllocator(vswitch, state.used(vswitch.id()), elsewhere.applyAsInt(vswitch.id()));
    }

    /** How many addresses of a vSwitch are free. */
    int free(VSwitch vswitch) {
        return vswitch.capacity() - state.used(vswitch.id()).size() - elsewhere.applyAsInt(vswitch.id());
    }

    /** The status that an event leads to, or the error that the ENI's status does not allow it. */
    static EniStatus next(EmulatedEni eni, EniEvent event) {
        return eni.attachment().status().after(event).orElseThrow(() -> wrongState(eni));
    }

    static ApiException wrongState(EmulatedEni eni) {
        return ApiError.INVALID_ENI_STATE.with(eni.attachment().status().wireName());
    }

    static ObjectNode body() {
        return JsonNodeFactory.instance.objectNode();
    }

    Result answer(ObjectNode body) {
        return new Result(state, body);
    }

    /** Replaces an ENI, with an empty answer. */
    Result change(EmulatedEni eni) {
        return new Result(state.changed(eni), body());
    }

    /** Begins a passing status of an ENI; a call that repeats the one that led to it changes nothing. */
    Result begin(EmulatedEni eni, EniStatus next) {
        return next == eni.attachment().status()
                ? answer(body())
                : change(eni.becoming(next, Optional.of(endOf(next))));
    }
}
