package io.enipam.emulator.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.KnownErrors;
import io.enipam.emulator.fault.FaultTrigger;
import io.enipam.emulator.fault.TruncationPoint;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Rules as JSON: {@code {"api": "AssignPrivateIpAddresses", "percent": 10, "effect": "dropAnswer"}}. Fields: {@code api};
 * {@code eni}; at most one of {@code nth}, {@code every}, {@code percent}; {@code atMost}; {@code effect}, one of
 * {@code fail} (with {@code code}, and {@code httpStatus} and {@code message} if the code is not known, {@code afterWork}),
 * {@code delay} (with {@code by}), {@code dropRequest}, {@code dropAnswer}, {@code tear} (with {@code at}: string,
 * elsewhere, start; {@code honestLength}), {@code stick} (with {@code untilReissued}), {@code throttle}.
 */
final class RuleJson {
    private static final Set<String> EVERYWHERE = Set.of("api", "eni", "nth", "every", "percent", "atMost", "effect");

    private RuleJson() {}

    /**
     * Reads a rule.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    static FaultRule read(JsonNode json) {
        ControlRequestFields fields = new ControlRequestFields(json);
        FaultRule.Builder draft = FaultRule.on(fields.text("api"));
        if (fields.has("eni")) {
            draft = draft.eni(fields.text("eni"));
        }
        List<String> occasions =
                List.of("nth", "every", "percent").stream().filter(fields::has).toList();
        if (occasions.size() > 1) {
            throw new IllegalArgumentException("give one of " + String.join(" and ", occasions) + ", not both");
        }
        if (fields.has("nth")) {
            draft = draft.nth(fields.number("nth"));
        } else if (fields.has("every")) {
            draft = draft.every(fields.number("every"));
        } else if (fields.has("percent")) {
            draft = draft.percent(fields.decimal("percent"));
        }
        if (fields.has("atMost")) {
            draft = draft.atMost(fields.number("atMost"));
        }
        return draft.does(effect(fields));
    }

    private static Effect effect(ControlRequestFields fields) {
        String name = fields.text("effect");
        return switch (name) {
            case "fail" -> {
                fields.allow(EVERYWHERE, "code", "httpStatus", "message", "afterWork");
                yield fail(fields);
            }
            case "delay" -> {
                fields.allow(EVERYWHERE, "by");
                yield new Effect.Delay(DurationFormat.parse(fields.text("by")));
            }
            case "dropRequest" -> {
                fields.allow(EVERYWHERE);
                yield new Effect.DropRequest();
            }
            case "dropAnswer" -> {
                fields.allow(EVERYWHERE);
                yield new Effect.DropAnswer();
            }
            case "tear" -> {
                fields.allow(EVERYWHERE, "at", "honestLength");
                yield new Effect.Tear(
                        fields.has("at") ? tearPoint(fields.text("at")) : TruncationPoint.STRING,
                        fields.bool("honestLength", true));
            }
            case "stick" -> {
                fields.allow(EVERYWHERE, "untilReissued");
                yield new Effect.Stick(fields.bool("untilReissued", false));
            }
            case "throttle" -> {
                fields.allow(EVERYWHERE);
                yield new Effect.Throttle();
            }
            default ->
                throw new IllegalArgumentException("there is no effect '" + name
                        + "'; there are fail, delay, dropRequest, dropAnswer, tear, stick, throttle");
        };
    }

    private static Effect fail(ControlRequestFields fields) {
        String code = fields.text("code");
        boolean afterWork = fields.bool("afterWork", false);
        Effect.Fail known = KnownErrors.find(code).orElse(null);
        if (known == null && !(fields.has("httpStatus") && fields.has("message"))) {
            throw new IllegalArgumentException(
                    "the error code " + code + " is not known: give its httpStatus and message too");
        }
        return new Effect.Fail(
                fields.has("httpStatus") || known == null
                        ? Math.toIntExact(fields.number("httpStatus"))
                        : known.httpStatus(),
                code,
                fields.has("message") || known == null ? fields.text("message") : known.message(),
                afterWork);
    }

    private static TruncationPoint tearPoint(String text) {
        for (TruncationPoint point : TruncationPoint.values()) {
            if (point.name().toLowerCase(Locale.ROOT).equals(text)) {
                return point;
            }
        }
        throw new IllegalArgumentException("at must be string, elsewhere or start, not '" + text + "'");
    }

    /** Writes a rule in force, in the same words. */
    static ObjectNode write(FaultPlan.Entry entry) {
        FaultRule rule = entry.rule();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", entry.id());
        json.put("api", rule.api());
        rule.eni().ifPresent(eni -> json.put("eni", eni));
        FaultTrigger when = rule.when();
        if (when instanceof FaultTrigger.Nth nth) {
            json.put("nth", nth.n());
        } else if (when instanceof FaultTrigger.Every every) {
            json.put("every", every.n());
        } else if (when instanceof FaultTrigger.Percent percent) {
            json.put("percent", percent.percent());
        }
        rule.atMost().ifPresent(most -> json.put("atMost", most));
        write(rule.effect(), json);
        json.put("seen", entry.seen());
        json.put("applied", entry.applied());
        return json;
    }

    private static void write(Effect effect, ObjectNode json) {
        if (effect instanceof Effect.Fail fail) {
            json.put("effect", "fail");
            json.put("code", fail.code());
            json.put("httpStatus", fail.httpStatus());
            json.put("message", fail.message());
            json.put("afterWork", fail.afterWork());
        } else if (effect instanceof Effect.Delay delay) {
            json.put("effect", "delay");
            json.put("by", DurationFormat.text(delay.by()));
        } else if (effect instanceof Effect.DropRequest) {
            json.put("effect", "dropRequest");
        } else if (effect instanceof Effect.DropAnswer) {
            json.put("effect", "dropAnswer");
        } else if (effect instanceof Effect.Tear tear) {
            json.put("effect", "tear");
            json.put("at", tear.at().name().toLowerCase(Locale.ROOT));
            json.put("honestLength", tear.honestLength());
        } else if (effect instanceof Effect.Stick stick) {
            json.put("effect", "stick");
            json.put("untilReissued", stick.untilReissued());
        } else if (effect instanceof Effect.Throttle) {
            json.put("effect", "throttle");
        }
    }
}
