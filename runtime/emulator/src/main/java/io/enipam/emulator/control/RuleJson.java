package io.enipam.emulator.control;

import static io.enipam.emulator.fault.FaultRule.TriggerKind.ALWAYS;
import static io.enipam.emulator.fault.FaultRule.TriggerKind.PERCENT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.emulator.cloud.DurationFormat;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.emulator.fault.FaultRule.TriggerKind;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
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
    private static final List<String> EVERYWHERE = List.of("api", "eni", "nth", "every", "percent", "atMost", "effect");

    /** An effect as JSON, read from its fields and written to them; these are named as the components of its record. */
    private record EffectRow<E extends Effect>(
            String name, Class<E> type, Function<Fields, E> read, BiConsumer<E, ObjectNode> write) {
        static <E extends Effect> EffectRow<E> plain(String name, Class<E> type, E only) {
            return new EffectRow<>(name, type, fields -> only, (effect, json) -> {});
        }

        void write(Effect effect, ObjectNode json) {
            json.put("effect", name);
            write.accept(type.cast(effect), json);
        }
    }

    /** {@code httpStatus} and {@code message} of {@code fail} may be left out if the code is known. */
    private static final List<EffectRow<?>> EFFECTS = List.of(
            new EffectRow<>(
                    "fail",
                    Effect.Fail.class,
                    RuleJson::fail,
                    (fail, json) -> json.put("code", fail.code())
                            .put("httpStatus", fail.httpStatus())
                            .put("message", fail.message())
                            .put("afterWork", fail.afterWork())),
            new EffectRow<>(
                    "delay",
                    Effect.Delay.class,
                    fields -> new Effect.Delay(DurationFormat.parse(fields.text("by"))),
                    (delay, json) -> json.put("by", DurationFormat.text(delay.by()))),
            EffectRow.plain("dropRequest", Effect.DropRequest.class, new Effect.DropRequest()),
            EffectRow.plain("dropAnswer", Effect.DropAnswer.class, new Effect.DropAnswer()),
            new EffectRow<>(
                    "tear",
                    Effect.Tear.class,
                    fields -> new Effect.Tear(
                            fields.has("at") ? tearPoint(fields.text("at")) : TruncationPoint.STRING,
                            fields.bool("honestLength", true)),
                    (tear, json) -> json.put("at", name(tear.at())).put("honestLength", tear.honestLength())),
            new EffectRow<>(
                    "stick",
                    Effect.Stick.class,
                    fields -> new Effect.Stick(fields.bool("untilReissued", false)),
                    (stick, json) -> json.put("untilReissued", stick.untilReissued())),
            EffectRow.plain("throttle", Effect.Throttle.class, new Effect.Throttle()));

    private RuleJson() {}

    /** Reads a rule. Throws IllegalArgumentException with what is wrong. */
    static FaultRule read(JsonNode json) {
        Fields fields = new Fields(json);
        FaultRule.Builder draft = FaultRule.on(fields.text("api"));
        if (fields.has("eni")) {
            draft = draft.eni(fields.text("eni"));
        }
        List<TriggerKind> kinds = EnumSet.complementOf(EnumSet.of(ALWAYS)).stream()
                .filter(kind -> fields.has(name(kind)))
                .toList();
        if (kinds.size() > 1) {
            throw new IllegalArgumentException(kinds.stream()
                    .map(RuleJson::name)
                    .collect(Collectors.joining(" and ", "give one of ", ", not both")));
        }
        for (TriggerKind kind : kinds) {
            draft = draft.when(kind, kind == PERCENT ? fields.decimal(name(kind)) : fields.number(name(kind)));
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
        fields.allow(Stream.concat(
                        EVERYWHERE.stream(),
                        Arrays.stream(row.type().getRecordComponents()).map(RecordComponent::getName))
                .toList());
        return draft.does(row.read().apply(fields));
    }

    private static Effect.Fail fail(Fields fields) {
        String code = fields.text("code");
        boolean afterWork = fields.bool("afterWork", false);
        Optional<Effect.Fail> known = Effect.Fail.known(code, afterWork);
        if (known.isEmpty() && !(fields.has("httpStatus") && fields.has("message"))) {
            throw new IllegalArgumentException(
                    "the error code " + code + " is not known: give its httpStatus and message too");
        }
        return new Effect.Fail(
                fields.has("httpStatus")
                        ? Math.toIntExact(fields.number("httpStatus"))
                        : known.orElseThrow().httpStatus(),
                code,
                fields.has("message")
                        ? fields.text("message")
                        : known.orElseThrow().message(),
                afterWork);
    }

    private static TruncationPoint tearPoint(String text) {
        return Arrays.stream(TruncationPoint.values())
                .filter(point -> name(point).equals(text))
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
        String kind = name(rule.when().kind());
        switch (rule.when().kind()) {
            case ALWAYS -> {}
            case NTH, EVERY -> json.put(kind, (long) rule.when().number());
            case PERCENT -> json.put(kind, rule.when().number());
        }
        rule.atMost().ifPresent(most -> json.put("atMost", most));
        EFFECTS.stream()
                .filter(row -> row.type().isInstance(rule.effect()))
                .forEach(row -> row.write(rule.effect(), json));
        return json.put("seen", entry.seen()).put("applied", entry.applied());
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The fields of a JSON object in a request. Each method throws IllegalArgumentException for one that is not as it says. */
    record Fields(JsonNode json) {
        Fields {
            if (!json.isObject()) {
                throw new IllegalArgumentException("the body must be a JSON object");
            }
        }

        /** Refuses fields that mean nothing here. */
        void allow(Collection<String> names) {
            json.fieldNames().forEachRemaining(name -> {
                if (!names.contains(name)) {
                    throw new IllegalArgumentException("the field '" + name + "' means nothing here; there are "
                            + String.join(", ", new TreeSet<>(names)));
                }
            });
        }

        boolean has(String name) {
            return json.hasNonNull(name);
        }

        String text(String name) {
            JsonNode value = json.path(name);
            if (!value.isTextual() || value.asText().isEmpty()) {
                throw new IllegalArgumentException("the field '" + name + "' must be a text");
            }
            return value.asText();
        }

        long number(String name) {
            JsonNode value = json.path(name);
            if (!value.isIntegralNumber() || !value.canConvertToInt()) {
                throw new IllegalArgumentException("the field '" + name + "' must be a whole number");
            }
            return value.asLong();
        }

        double decimal(String name) {
            JsonNode value = json.path(name);
            if (!value.isNumber()) {
                throw new IllegalArgumentException("the field '" + name + "' must be a number");
            }
            return value.asDouble();
        }

        boolean bool(String name, boolean otherwise) {
            JsonNode value = json.path(name);
            if (value.isMissingNode() || value.isNull()) {
                return otherwise;
            }
            if (!value.isBoolean()) {
                throw new IllegalArgumentException("the field '" + name + "' must be true or false");
            }
            return value.asBoolean();
        }
    }
}
