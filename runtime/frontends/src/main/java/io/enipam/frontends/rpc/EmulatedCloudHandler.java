package io.enipam.frontends.rpc;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.cloud.Latency;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.control.CloudControl.ControlException;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudCallCount;
import io.enipam.v1.CloudFault;
import io.enipam.v1.DropCall;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleRequest;
import io.enipam.v1.StickEni;
import io.enipam.v1.TearAnswer;
import io.enipam.v1.ThrottleApi;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls about the emulated cloud. Each throws IpamException if there is none, or if what is asked cannot be. */
record EmulatedCloudHandler(Supplier<CloudControl> cloud) {
    GetCloudReply get() {
        CloudControl control = cloud.get();
        return GetCloudReply.newBuilder()
                .addAllFaults(Proto.all(control.faults().list(), EmulatedCloudHandler::fault))
                .setLatency(control.latency().toString())
                .setThrottle(control.throttle().toString())
                .addAllStuckEnis(control.stuckEnis())
                .setClockAhead(Proto.duration(control.clockSkew()))
                .addAllCalls(Proto.all(
                        control.calls(),
                        calls -> Proto.fill(CloudCallCount.newBuilder(), calls).build()))
                .build();
    }

    ListCloudNamesReply names() {
        return ListCloudNamesReply.newBuilder()
                .addAllApis(cloud.get().faults().apis())
                .addAllCodes(ApiError.codes())
                .build();
    }

    CloudFault add(AddCloudFaultRequest request) {
        FaultPlan plan = cloud.get().faults();
        long id = GrpcFailures.checked(() -> plan.add(rule(request.getFault())));
        return plan.find(id).map(EmulatedCloudHandler::fault).orElseThrow(() -> noFault(id));
    }

    List<CloudFault> remove(RemoveCloudFaultRequest request) {
        FaultPlan plan = cloud.get().faults();
        long id = request.getId();
        List<FaultPlan.Entry> chosen = plan.list().stream()
                .filter(entry -> id == 0 || entry.id() == id)
                .filter(entry -> plan.remove(entry.id()))
                .toList();
        if (id != 0 && chosen.isEmpty()) {
            throw noFault(id);
        }
        return Proto.all(chosen, EmulatedCloudHandler::fault);
    }

    Change latency(SetCloudLatencyRequest request) {
        CloudControl control = cloud.get();
        return changed(control::latency, control::latency, Latency::parse, request.getLatency());
    }

    Change throttle(SetCloudThrottleRequest request) {
        CloudControl control = cloud.get();
        return changed(control::throttle, control::throttle, ThrottleLimits::parse, request.getThrottle());
    }

    record Change(String from, String to) {}

    private static <T> Change changed(Supplier<T> inForce, Consumer<T> use, Function<String, T> parser, String text) {
        String before = inForce.get().toString();
        T next = GrpcFailures.checked(() -> {
            T asked = parser.apply(text);
            use.accept(asked);
            return asked;
        });
        return new Change(before, next.toString());
    }

    ResetCloudReply reset() {
        CloudControl control = cloud.get();
        ResetCloudReply.Builder reply = ResetCloudReply.newBuilder()
                .addAllRemoved(Proto.all(control.faults().list(), EmulatedCloudHandler::fault))
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
                control.skewClock(Proto.duration(request.getSkewClock()));
                reply.setClockAhead(Proto.duration(control.clockSkew()));
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

    private static FaultRule rule(CloudFault wire) {
        FaultRule.Builder draft = FaultRule.on(wire.getApi());
        if (!wire.getEni().isEmpty()) {
            draft = draft.eni(wire.getEni());
        }
        draft = switch (wire.getWhenCase()) {
            case NTH -> draft.nth(wire.getNth());
            case EVERY -> draft.every(wire.getEvery());
            case PERCENT -> draft.percent(wire.getPercent());
            case WHEN_NOT_SET -> draft;
        };
        if (wire.getAtMost() != 0) {
            draft = draft.atMost(wire.getAtMost());
        }
        return draft.does(effect(wire));
    }

    private static Effect effect(CloudFault wire) {
        return switch (wire.getEffectCase()) {
            case FAIL -> fail(wire.getFail());
            case DELAY -> new Effect.Delay(Proto.duration(wire.getDelay()));
            case DROP -> wire.getDrop().getAfterWork() ? new Effect.DropAnswer() : new Effect.DropRequest();
            case TEAR ->
                new Effect.Tear(
                        tearPoint(wire.getTear().getAt()), !wire.getTear().getHidden());
            case STICK -> new Effect.Stick(wire.getStick().getUntilReissued());
            case THROTTLE -> new Effect.Throttle();
            case EFFECT_NOT_SET -> throw new IllegalArgumentException("the fault does not say what goes wrong");
        };
    }

    private static Effect fail(FailCall wire) {
        Optional<Effect.Fail> known = Effect.Fail.known(wire.getCode(), wire.getAfterWork());
        if (known.isEmpty() && wire.getHttpStatus() == 0) {
            throw new IllegalArgumentException(
                    "the error code '" + wire.getCode() + "' is not known: say its HTTP status"
                            + (wire.getMessage().isEmpty() ? " and message" : "") + " too");
        }
        return new Effect.Fail(
                wire.getHttpStatus() == 0 ? known.orElseThrow().httpStatus() : wire.getHttpStatus(),
                wire.getCode(),
                wire.getMessage().isEmpty() ? known.map(Effect.Fail::message).orElse("") : wire.getMessage(),
                wire.getAfterWork());
    }

    private static TruncationPoint tearPoint(String at) {
        return at.isEmpty()
                ? TruncationPoint.STRING
                : Arrays.stream(TruncationPoint.values())
                        .filter(point -> name(point).equals(at))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "an answer is torn in a string, elsewhere or at the start, not at '" + at + "'"));
    }

    private static CloudFault fault(FaultPlan.Entry entry) {
        FaultRule rule = entry.rule();
        CloudFault.Builder wire = Proto.fill(CloudFault.newBuilder(), entry, rule);
        double number = rule.when().number();
        switch (rule.when().kind()) {
            case ALWAYS -> {}
            case NTH -> wire.setNth((int) number);
            case EVERY -> wire.setEvery((int) number);
            case PERCENT -> wire.setPercent(number);
        }
        put(rule.effect(), wire);
        return wire.build();
    }

    private static void put(Effect effect, CloudFault.Builder wire) {
        if (effect instanceof Effect.Fail fail) {
            wire.setFail(Proto.fill(FailCall.newBuilder(), fail));
        } else if (effect instanceof Effect.Delay delay) {
            wire.setDelay(Proto.duration(delay.by()));
        } else if (effect instanceof Effect.DropAnswer) {
            wire.setDrop(DropCall.newBuilder().setAfterWork(true));
        } else if (effect instanceof Effect.DropRequest) {
            wire.setDrop(DropCall.getDefaultInstance());
        } else if (effect instanceof Effect.Tear tear) {
            wire.setTear(TearAnswer.newBuilder().setAt(name(tear.at())).setHidden(!tear.honestLength()));
        } else if (effect instanceof Effect.Stick stick) {
            wire.setStick(Proto.fill(StickEni.newBuilder(), stick));
        } else if (effect instanceof Effect.Throttle) {
            wire.setThrottle(ThrottleApi.getDefaultInstance());
        }
    }

    private static String name(TruncationPoint point) {
        return point.name().toLowerCase(Locale.ROOT);
    }
}
