package io.enipam.shell.runbook;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.StructFields;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runbooks as tables. */
final class RunbookViews {
    /** The library, in the order of its index; an item is what {@link #item} makes of a header. */
    static final TableListing<Struct> LIST = TableListing.<Struct>of(
                    "runbooks", item -> StructFields.text(item, "name"))
            .text("name", "NAME", item -> StructFields.text(item, "name"))
            .text("needs", "NEEDS", item -> StructFields.text(item, "needs"))
            .text("parameters", "PARAMETERS", RunbookViews::parameters)
            .text("description", "WHAT IT IS FOR", item -> StructFields.text(item, "description"))
            .build();

    private RunbookViews() {}

    /** What would run, block within block. */
    static List<String> plan(Runbook runbook, Palette palette) {
        Table table = Table.headed("LINE", "CHANGES", "STEP");
        for (Runbook.Planned step : runbook.plan()) {
            boolean elsewhere = !step.place().file().equals(runbook.file());
            table.row(
                    Table.cell(
                            elsewhere
                                    ? step.place().ofLine()
                                    : Integer.toString(step.place().line())),
                    step.changes() ? new Table.Cell("yes", Tone.WAIT) : Table.cell("no"),
                    Table.cell("  ".repeat(step.depth()) + step.text()));
        }
        List<String> lines = new ArrayList<>(table.lines(palette));
        lines.add(Palette.clean(RunbookCommands.RunbookCommand.summary(runbook)) + "; nothing was run");
        return lines;
    }

    /** What a shipped one says of itself; no daemon tells it, so the protocol has no message for it. */
    static Struct item(RunbookHeader header) {
        return Struct.newBuilder()
                .putFields("name", Values.of(header.name()))
                .putFields("description", Values.of(header.description()))
                .putFields("needs", Values.of(needs(header)))
                .putFields(
                        "parameters",
                        Values.of(header.parameters().stream()
                                .map(RunbookViews::parameter)
                                .toList()))
                .build();
    }

    private static String needs(RunbookHeader header) {
        return header.needs().map(RunbookHeader.Needs::toString).orElse("");
    }

    private static Value parameter(RunbookParameter parameter) {
        Struct.Builder fields = Struct.newBuilder()
                .putFields("name", Values.of(parameter.name()))
                .putFields("type", Values.of(parameter.type().toString()))
                .putFields("required", Values.of(parameter.required()))
                .putFields("doc", Values.of(parameter.doc()));
        parameter.fallback().ifPresent(fallback -> fields.putFields("default", Values.of(fallback)));
        return Values.of(fields.build());
    }

    private static String parameters(Struct item) {
        return item.getFieldsOrThrow("parameters").getListValue().getValuesList().stream()
                .map(Value::getStructValue)
                .map(parameter -> StructFields.text(parameter, "name")
                        + (parameter.getFieldsOrThrow("required").getBoolValue() ? "!" : ""))
                .collect(Collectors.joining(" "));
    }

    static List<String> advice() {
        return List.of(
                "",
                "More on one: runbook show NAME. What it would do: run NAME --dry-run. ! stands for: has to be given, with -v");
    }
}
