package io.enipam.shell.command;

import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Table;
import io.enipam.shell.render.Tone;
import io.enipam.shell.runbook.Header;
import io.enipam.shell.runbook.Runbook;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runbooks as tables. */
final class RunbookViews {
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

    static List<String> library(List<Header> headers, Palette palette) {
        Table table = Table.headed("NAME", "NEEDS", "PARAMETERS", "WHAT IT IS FOR");
        for (Header header : headers) {
            table.row(
                    Table.cell(header.name()),
                    Table.cell(header.needs().map(Header.Needs::toString).orElse("-")),
                    Table.cell(
                            header.parameters().isEmpty()
                                    ? "-"
                                    : header.parameters().stream()
                                            .map(parameter -> parameter.name() + (parameter.required() ? "!" : ""))
                                            .collect(Collectors.joining(" "))),
                    Table.cell(header.description()));
        }
        List<String> lines = new ArrayList<>(table.lines(palette));
        lines.add("");
        lines.add(
                "More on one: runbook show NAME. What it would do: run NAME --dry-run. ! stands for: has to be given, with -v");
        return lines;
    }
}
