package io.enipam.shell.lab;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import java.util.Locale;

/** What came of replays: the lab's program says it, and the protocol has no message for it. Whole numbers are text in it, fractions are numbers. */
final class LabResults {
    /** In the order of the policies. */
    static final TableListing<Struct> RESULTS = TableListing.<Struct>of("results", LabResults::policy)
            .none("no policy was replayed to the end", "")
            .text("policy", "POLICY", LabResults::policy)
            .wideNumber("pods", "PODS", result -> whole(result, "pods"))
            .by(
                    "waited",
                    "WAITED",
                    result -> Math.round(10_000 * number(result, "waitedShare")),
                    (result, look) ->
                            Table.cell(String.format(Locale.ROOT, "%.1f%%", 100 * number(result, "waitedShare"))))
            .by("p50", "P50", result -> whole(result, "waitP50Ms"), (result, look) -> took(result, "waitP50Ms"))
            .by("p99", "P99", result -> whole(result, "waitP99Ms"), (result, look) -> took(result, "waitP99Ms"))
            .wideBy("most", "MOST", result -> whole(result, "waitMostMs"), (result, look) -> took(result, "waitMostMs"))
            .number("unserved", "UNSERVED", result -> whole(result, "pods") - whole(result, "served"), LabResults::bad)
            .count("failed", "FAILED", result -> whole(result, "failures"), Tone.BAD)
            .number("calls", "CALLS", result -> whole(result, "apiCalls"))
            .count("throttled", "THROTTLED", result -> whole(result, "throttled"), Tone.WAIT)
            .number("enis", "ENIS", result -> whole(result, "eniChanges"))
            .by(
                    "idle",
                    "IDLE",
                    result -> Math.round(100 * number(result, "idleAddressHours")),
                    (result, look) -> hours(result, "idleAddressHours"))
            .wideBy(
                    "held",
                    "HELD",
                    result -> Math.round(100 * number(result, "heldAddressHours")),
                    (result, look) -> hours(result, "heldAddressHours"))
            .wideNumber("mostheld", "MOST HELD", result -> whole(result, "mostAddresses"))
            .build();

    private LabResults() {}

    /** A result as the program prints it. */
    static Struct struct(JsonObject json) {
        Struct.Builder fields = Struct.newBuilder();
        json.entrySet().forEach(field -> fields.putFields(field.getKey(), value(field.getValue())));
        return fields.build();
    }

    private static Value value(JsonElement element) {
        if (element.isJsonObject()) {
            return Values.of(struct(element.getAsJsonObject()));
        }
        if (element.isJsonArray()) {
            return Values.of(element.getAsJsonArray().asList().stream()
                    .map(LabResults::value)
                    .toList());
        }
        String text = element.getAsString();
        boolean fraction = element.getAsJsonPrimitive().isNumber() && text.contains(".");
        return fraction ? Values.of(element.getAsDouble()) : Values.of(text);
    }

    private static Tone bad(Struct result) {
        return whole(result, "pods") > whole(result, "served") ? Tone.BAD : Tone.PLAIN;
    }

    static String policy(Struct result) {
        return ListReply.text(result, "policy");
    }

    static long whole(Struct result, String name) {
        return Long.parseLong(ListReply.text(result, name));
    }

    static double number(Struct result, String name) {
        Value value = result.getFieldsOrThrow(name);
        return value.hasStringValue() ? Long.parseLong(value.getStringValue()) : value.getNumberValue();
    }

    private static Table.Cell took(Struct result, String name) {
        return Table.cell(span(whole(result, name)));
    }

    static String span(long millis) {
        return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    private static Table.Cell hours(Struct result, String name) {
        return Table.cell(String.format(Locale.ROOT, "%.1f h", number(result, name)));
    }
}
