package io.enipam.frontends.rpc;

import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.FaultRule.FaultTrigger;
import io.enipam.v1.CloudFault;
import io.enipam.v1.DropCall;
import io.enipam.v1.FailCall;
import io.enipam.v1.StickEni;
import io.enipam.v1.TearAnswer;
import io.enipam.v1.ThrottleApi;
import java.util.Arrays;
import java.util.Locale;

/** Faults of the emulated cloud on the wire. What cannot be read is an IllegalArgumentException. */
final class CloudFaultMapper {
    private CloudFaultMapper() {}

    static FaultRule rule(CloudFault wire) {
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
            case DELAY -> new Effect.Delay(ProtoTime.duration(wire.getDelay()));
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
        boolean own = wire.getHttpStatus() != 0 || !wire.getMessage().isEmpty();
        Effect.Fail known = Effect.Fail.known(wire.getCode(), false).orElse(null);
        if (known == null && wire.getHttpStatus() == 0) {
            throw new IllegalArgumentException(
                    "the error code '" + wire.getCode() + "' is not known: say its HTTP status"
                            + (wire.getMessage().isEmpty() ? " and message" : "") + " too");
        }
        if (known != null && !own) {
            return new Effect.Fail(known.httpStatus(), known.code(), known.message(), wire.getAfterWork());
        }
        return new Effect.Fail(
                wire.getHttpStatus() == 0 && known != null ? known.httpStatus() : wire.getHttpStatus(),
                wire.getCode(),
                wire.getMessage().isEmpty() && known != null ? known.message() : wire.getMessage(),
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

    static CloudFault fault(FaultPlan.Entry entry) {
        FaultRule rule = entry.rule();
        CloudFault.Builder wire = CloudFault.newBuilder()
                .setId(Math.toIntExact(entry.id()))
                .setApi(rule.api())
                .setEni(rule.eni().orElse(""))
                .setAtMost(number(rule.atMost().orElse(0)))
                .setSeen(number(entry.seen()))
                .setApplied(number(entry.applied()));
        if (rule.when() instanceof FaultTrigger.Nth nth) {
            wire.setNth(number(nth.n()));
        } else if (rule.when() instanceof FaultTrigger.Every every) {
            wire.setEvery(number(every.n()));
        } else if (rule.when() instanceof FaultTrigger.Percent percent) {
            wire.setPercent(percent.percent());
        }
        put(rule.effect(), wire);
        return wire.build();
    }

    private static void put(Effect effect, CloudFault.Builder wire) {
        if (effect instanceof Effect.Fail fail) {
            wire.setFail(FailCall.newBuilder()
                    .setCode(fail.code())
                    .setHttpStatus(fail.httpStatus())
                    .setMessage(fail.message())
                    .setAfterWork(fail.afterWork()));
        } else if (effect instanceof Effect.Delay delay) {
            wire.setDelay(ProtoTime.duration(delay.by()));
        } else if (effect instanceof Effect.DropAnswer) {
            wire.setDrop(DropCall.newBuilder().setAfterWork(true));
        } else if (effect instanceof Effect.DropRequest) {
            wire.setDrop(DropCall.getDefaultInstance());
        } else if (effect instanceof Effect.Tear tear) {
            wire.setTear(TearAnswer.newBuilder().setAt(name(tear.at())).setHidden(!tear.honestLength()));
        } else if (effect instanceof Effect.Stick stick) {
            wire.setStick(StickEni.newBuilder().setUntilReissued(stick.untilReissued()));
        } else if (effect instanceof Effect.Throttle) {
            wire.setThrottle(ThrottleApi.getDefaultInstance());
        }
    }

    private static String name(TruncationPoint point) {
        return point.name().toLowerCase(Locale.ROOT);
    }

    /** A count as the wire has it; what is beyond its range stays at its end. */
    static int number(long count) {
        return (int) Math.min(count, Integer.MAX_VALUE);
    }
}
