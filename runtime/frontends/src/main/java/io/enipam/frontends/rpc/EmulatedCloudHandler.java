package io.enipam.frontends.rpc;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.control.CloudControl.ControlException;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.http.CallCounts.ActionCallStats;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultReply;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudCallCount;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.RemoveCloudFaultReply;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.SetCloudLatencyReply;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleReply;
import io.enipam.v1.SetCloudThrottleRequest;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Calls about the emulated cloud. Each throws IpamException if there is none, or if what is asked cannot be. */
final class EmulatedCloudHandler {
    private final Supplier<CloudControl> cloud;

    EmulatedCloudHandler(Supplier<CloudControl> cloud) {
        this.cloud = cloud;
    }

    GetCloudReply get() {
        CloudControl control = cloud.get();
        return GetCloudReply.newBuilder()
                .addAllFaults(control.faults().list().stream()
                        .map(CloudFaultMapper::fault)
                        .toList())
                .setLatency(control.latency().toString())
                .setThrottle(control.throttle().toString())
                .addAllStuckEnis(control.stuckEnis())
                .setClockAhead(ProtoTime.duration(control.clockSkew()))
                .addAllCalls(control.calls().stream()
                        .map(EmulatedCloudHandler::figures)
                        .toList())
                .build();
    }

    private static CloudCallCount figures(ActionCallStats figures) {
        return CloudCallCount.newBuilder()
                .setApi(figures.api())
                .setCalls(CloudFaultMapper.number(figures.calls()))
                .setThrottled(CloudFaultMapper.number(figures.throttled()))
                .setFaulted(CloudFaultMapper.number(figures.faulted()))
                .build();
    }

    ListCloudNamesReply names() {
        return ListCloudNamesReply.newBuilder()
                .addAllApis(cloud.get().faults().apis())
                .addAllCodes(ApiError.codes())
                .build();
    }

    AddCloudFaultReply add(AddCloudFaultRequest request) {
        FaultPlan plan = cloud.get().faults();
        long id = UnaryReplies.checked(() -> plan.add(CloudFaultMapper.rule(request.getFault())));
        return AddCloudFaultReply.newBuilder()
                .setFault(plan.find(id).map(CloudFaultMapper::fault).orElseThrow(() -> noFault(id)))
                .build();
    }

    RemoveCloudFaultReply remove(RemoveCloudFaultRequest request) {
        FaultPlan plan = cloud.get().faults();
        long id = request.getId();
        List<FaultPlan.Entry> chosen = plan.list().stream()
                .filter(entry -> id == 0 || entry.id() == id)
                .filter(entry -> plan.remove(entry.id()))
                .toList();
        if (id != 0 && chosen.isEmpty()) {
            throw noFault(id);
        }
        return RemoveCloudFaultReply.newBuilder()
                .addAllRemoved(chosen.stream().map(CloudFaultMapper::fault).toList())
                .build();
    }

    SetCloudLatencyReply latency(SetCloudLatencyRequest request) {
        CloudControl control = cloud.get();
        String before = control.latency().toString();
        Latency next = UnaryReplies.checked(() -> {
            Latency asked = Latency.parse(request.getLatency());
            control.latency(asked);
            return asked;
        });
        return SetCloudLatencyReply.newBuilder()
                .setFrom(before)
                .setTo(next.toString())
                .build();
    }

    SetCloudThrottleReply throttle(SetCloudThrottleRequest request) {
        CloudControl control = cloud.get();
        String before = control.throttle().toString();
        ThrottleLimits next = UnaryReplies.checked(() -> {
            ThrottleLimits asked = ThrottleLimits.parse(request.getThrottle());
            control.throttle(asked);
            return asked;
        });
        return SetCloudThrottleReply.newBuilder()
                .setFrom(before)
                .setTo(next.toString())
                .build();
    }

    ResetCloudReply reset() {
        CloudControl control = cloud.get();
        ResetCloudReply.Builder reply = ResetCloudReply.newBuilder()
                .addAllRemoved(control.faults().list().stream()
                        .map(CloudFaultMapper::fault)
                        .toList())
                .addAllReleasedEnis(control.stuckEnis());
        control.reset();
        return reply.setLatency(control.latency().toString())
                .setThrottle(control.throttle().toString())
                .build();
    }

    ActOnCloudReply act(ActOnCloudRequest request) {
        try {
            return acted(cloud.get(), request);
        } catch (ControlException refusal) {
            ErrorCode code = refusal.kind() == ControlException.Kind.NOT_FOUND
                    ? ErrorCode.NOT_FOUND
                    : ErrorCode.INVALID_ARGUMENT;
            throw new IpamException(code, String.valueOf(refusal.getMessage()), "see: eni list", refusal);
        }
    }

    private static ActOnCloudReply acted(CloudControl control, ActOnCloudRequest request) {
        ActOnCloudReply.Builder reply = ActOnCloudReply.newBuilder();
        switch (request.getActionCase()) {
            case DETACH_ENI -> {
                control.detachEni(request.getDetachEni());
                reply.setEni(request.getDetachEni());
            }
            case TAKE_IP -> reply.setIp(request.getTakeIp()).setEni(control.takeIp(request.getTakeIp()));
            case STICK_ENI -> {
                OptionalLong waiting = control.stick(request.getStickEni());
                reply.setEni(request.getStickEni()).setWaitingFault(Math.toIntExact(waiting.orElse(0)));
            }
            case RELEASE_ENI -> {
                control.release(request.getReleaseEni());
                reply.setEni(request.getReleaseEni());
            }
            case EXPIRE_KEY -> reply.setKey(expired(control, request.getExpireKey()));
            case SKEW_CLOCK -> {
                control.skewClock(ProtoTime.duration(request.getSkewClock()));
                reply.setClockAhead(ProtoTime.duration(control.clockSkew()));
            }
            case ACTION_NOT_SET -> throw GrpcFailures.invalid("the call does not say what to do to the cloud", "");
        }
        return reply.build();
    }

    private static String expired(CloudControl control, String key) {
        if (key.isEmpty()) {
            return control.expireRole();
        }
        control.expireKey(key);
        return key;
    }

    private static IpamException noFault(long id) {
        return new IpamException(ErrorCode.NOT_FOUND, "there is no fault " + id, "see: cloud fault list");
    }
}
