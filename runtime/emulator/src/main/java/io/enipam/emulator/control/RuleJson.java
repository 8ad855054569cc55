package io.enipam.emulator.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.FaultRule.FaultTrigger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rules as JSON: {@code {"api": "AssignPrivateIpAddresses", "percent": 10, "effect": "dropAnswer"}}. Fields: {@code api};
 * {@code eni}; at most one of {@code nth}, {@code every}, {@code percent}; {@code atMost}; {@code effect}, a row of
 * {@link #EFFECTS}, with its own fields.
 */
final class RuleJson {
    private static final Set<String> EVERYWHERE = Set.of("api", "eni", "nth", "every", "percent", "atMost", "effect");

    /**
     * An effect as JSON.
     *
     * @param name the value of {@code effect}
     * @param type its class
     * @param fields its own fields
     * @param read makes it from them
     * @param write puts them
     */
    private record EffectRow<E extends Effect>(
            String name,
            Class<E> type,
            List<String> fields,
            Function<ControlRequestFields, E> read,
            BiConsumer<E, ObjectNode> write) {
        static <E extends Effect> EffectRow<E> plain(String name, Class<E> type, E only) {
            return new EffectRow<>(name, type, List.of(), fields -> only, (effect, json) -> {});
        }

        void write(Effect effect, ObjectNode json) {
            write.accept(type.cast(effect), json);
        }
    }

    /** {@code httpStatus} and {@code message} of {@code fail} may be left out if the code is known. */
    private static final List<EffectRow<?>> EFFECTS = List.of(
            new EffectRow<>(
                    "fail",
                    Effect.Fail.class,
                    List.of("code", "httpStatus", "message", "afterWork"),
                    RuleJson::fail,
                    (fail, json) -> json.put("code", fail.code())
                            .put("httpStatus", fail.httpStatus())
                            .put("message", fail.message())
                            .put("afterWork", fail.afterWork())),
            new EffectRow<>(
                    "delay",
                    Effect.Delay.class,
                    List.of("by"),
                    fields -> new Effect.Delay(DurationFormat.parse(fields.text("by"))),
                    (delay, json) -> json.put("by", DurationFormat.text(delay.by()))),
            EffectRow.plain("dropRequest", Effect.DropRequest.class, new Effect.DropRequest()),
            EffectRow.plain("dropAnswer", Effect.DropAnswer.class, new Effect.DropAnswer()),
            new EffectRow<>(
                    "tear",
                    Effect.Tear.class,
                    List.of("at", "honestLength"),
                    fields -> new Effect.Tear(
                            fields.has("at") ? tearPoint(fields.text("at")) : TruncationPoint.STRING,
                            fields.bool("honestLength", true)),
                    (tear, json) -> json.put("at", tear.at().name().toLowerCase(Locale.ROOT))
                            .put("honestLength", tear.honestLength())),
            new EffectRow<>(
                    "stick",
                    Effect.Stick.class,
                    List.of("untilReissued"),
                    fields -> new Effect.Stick(fields.bool("untilReissued", false)),
                    (stick, json) -> json.put("untilReissued", stick.untilReissued())),
            EffectRow.plain("throttle", Effect.Throttle.class, new Effect.Throttle()));

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
        List<String> triggers =
                Stream.of("nth", "every", "percent").filter(fields::has).toList();
        if (triggers.size() > 1) {
            throw new IllegalArgumentException("give one of " + String.join(" and ", triggers) + ", not both");
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
        String name = fields.text("effect");
        EffectRow<?> row = EFFECTS.stream()
                .filter(effect -> effect.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no effect '" + name + "'; there are "
                        + EFFECTS.stream().map(EffectRow::name).collect(Collectors.joining(", "))));
        fields.allow(EVERYWHERE, row.fields().toArray(String[]::new));
        return draft.does(row.read().apply(fields));
    }

    private static Effect.Fail fail(ControlRequestFields fields) {
        String code = fields.text("code");
        boolean afterWork = fields.bool("afterWork", false);
        Effect.Fail known = Effect.Fail.known(code, afterWork).orElse(null);
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
        return Arrays.stream(TruncationPoint.values())
                .filter(point -> point.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("at must be string, elsewhere or start, not '" + text + "'"));
    }

    /** Writes a rule in force, in the fields that {@link #read} takes. */
    static ObjectNode write(FaultPlan.Entry entry) {
        FaultRule rule = entry.rule();
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", entry.id());
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
        EFFECTS.stream()
                .filter(row -> row.type().isInstance(rule.effect()))
                .findFirst()
                .ifPresent(row -> {
                    json.put("effect", row.name());
                    row.write(rule.effect(), json);
                });
        return json.put("seen", entry.seen()).put("applied", entry.applied());
    }
}
