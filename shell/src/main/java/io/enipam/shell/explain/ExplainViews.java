package io.enipam.shell.explain;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CloudCall;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.Explanation;
import io.enipam.v1.NextStep;
import io.enipam.v1.PendingOperation;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Explanations: what a thing is, why, what comes next, and what every source says of it. */
public final class ExplainViews {
    /** Of what a source says, where nobody wants all of it. */
    private static final int SAYS = 72;

    private ExplainViews() {}

    /** @param all also the last events and calls of the cloud, and nothing cut off */
    public static List<String> reply(ExplainReply reply, RenderContext look, boolean all) {
        List<String> lines = new ArrayList<>();
        if (reply.getThingsCount() > 1) {
            lines.add(Palette.clean("'" + reply.getWhat() + "' names " + reply.getThingsCount() + " things: "
                    + reply.getThingsList().stream()
                            .map(thing -> label(thing) + " " + thing.getName())
                            .collect(Collectors.joining(", "))));
        }
        for (Explanation thing : reply.getThingsList()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(one(thing, look, all));
        }
        if (reply.getMore() > 0) {
            lines.add("");
            lines.add("and " + reply.getMore() + " more: give the full name of the one that is meant");
        }
        reply.getLookedList().forEach(line -> lines.add(Palette.clean(line)));
        return lines;
    }

    private static List<String> one(Explanation thing, RenderContext look, boolean all) {
        List<String> lines = new ArrayList<>(details(thing, look));
        section(lines, addresses(thing, look));
        section(lines, sources(thing, look, all));
        if (all) {
            section(lines, calls(thing, look));
            section(lines, events(thing, look));
        }
        return lines;
    }

    private static void section(List<String> lines, List<String> more) {
        if (!more.isEmpty()) {
            lines.add("");
            lines.addAll(more);
        }
    }

    private static String label(Explanation thing) {
        return thing.getKind().equals("ENI") ? "ENI" : thing.getKind().toLowerCase(Locale.ROOT);
    }

    private static List<String> details(Explanation thing, RenderContext look) {
        Table table = Table.details().detail(label(thing), thing.getName());
        table.detail("state", new Table.Cell(state(thing, look), Tone.ofState(thing.getState())));
        labelled(table, "why", thing.getWhyList(), Tone.PLAIN);
        if (!thing.getPod().isEmpty() && !thing.getKind().equals("POD")) {
            table.detail("pod", thing.getPod());
        }
        if (!thing.getOwner().getContainer().isEmpty() && !thing.getKind().equals("CONTAINER")) {
            table.detail("container", thing.getOwner().getContainer());
        }
        if (!thing.getEni().isEmpty() && !thing.getKind().equals("ENI")) {
            table.detail("ENI", thing.getEni());
        }
        labelled(
                table,
                "next",
                thing.getNextList().stream().map(step -> next(step, look)).toList(),
                Tone.PLAIN);
        labelled(
                table,
                "pending",
                thing.getOperationsList().stream()
                        .map(operation -> pending(operation, look))
                        .toList(),
                Tone.WAIT);
        labelled(
                table,
                "differs",
                thing.getDifferencesList().stream()
                        .map(ExplainViews::difference)
                        .toList(),
                Tone.BAD);
        return table.lines(look.palette());
    }

    private static void labelled(Table table, String label, List<String> lines, Tone tone) {
        for (int i = 0; i < lines.size(); i++) {
            table.detail(i == 0 ? label : "", new Table.Cell(lines.get(i), tone));
        }
    }

    private static String state(Explanation thing, RenderContext look) {
        return thing.getState()
                + (thing.hasSince()
                        ? " for " + TimeFormat.age(thing.getSince(), look.now()) + ", since "
                                + TimeFormat.clock(thing.getSince(), look.zone())
                        : "");
    }

    private static String next(NextStep step, RenderContext look) {
        return step.hasAt()
                ? "in " + TimeFormat.left(step.getAt(), look.now()) + ", at "
                        + TimeFormat.clock(step.getAt(), look.zone()) + ": " + step.getWhat()
                : step.getWhat();
    }

    private static String pending(PendingOperation operation, RenderContext look) {
        return operation.getWords() + ", begun " + TimeFormat.age(operation.getSince(), look.now()) + " ago"
                + (operation.getClientToken().isEmpty() ? "" : ", token " + operation.getClientToken());
    }

    private static String difference(SourceDifference difference) {
        return difference.getWhat() + " ("
                + difference.getSaysList().stream()
                        .map(word -> word.getSource() + ": " + word.getWords())
                        .collect(Collectors.joining("; "))
                + ")";
    }

    private static List<String> addresses(Explanation thing, RenderContext look) {
        boolean eni = thing.getKind().equals("ENI");
        if (thing.getAddressesCount() == 0) {
            return List.of();
        }
        Table table = eni ? Table.headed("ADDRESS", "ROLE", "STATE", "POD") : Table.headed("ADDRESS", "ROLE", "STATE");
        for (EniAddress address : thing.getAddressesList()) {
            List<Table.Cell> cells = new ArrayList<>(List.of(
                    Table.cell(address.getAddress()),
                    Table.cell(address.getPrimary() ? "primary" : "secondary"),
                    Table.state(address.getState())));
            if (eni) {
                cells.add(Table.cell(address.getPod()));
            }
            table.row(cells.toArray(Table.Cell[]::new));
        }
        return table.lines(look.palette());
    }

    private static List<String> sources(Explanation thing, RenderContext look, boolean all) {
        boolean differs = thing.getSaysList().stream().anyMatch(SourceStatement::getDiffers);
        Table table = differs
                ? Table.headed("SOURCE", "", "SAYS", "SINCE", "ASKED")
                : Table.headed("SOURCE", "SAYS", "SINCE", "ASKED");
        for (SourceStatement statement : thing.getSaysList()) {
            List<Table.Cell> cells = new ArrayList<>();
            cells.add(Table.cell(statement.getSource()));
            if (differs) {
                cells.add(new Table.Cell(statement.getDiffers() ? "!" : "", Tone.BAD));
            }
            cells.add(says(statement, all));
            cells.add(Table.cell(clock(statement, look)));
            cells.add(Table.cell(asked(statement)));
            table.row(cells.toArray(Table.Cell[]::new));
        }
        return table.lines(look.palette());
    }

    private static Table.Cell says(SourceStatement statement, boolean all) {
        String words = String.join("; ", statement.getWordsList());
        return switch (statement.getState()) {
            case "ABSENT" -> new Table.Cell(cut("not here: " + words, all), Tone.LABEL);
            case "FAILED" -> new Table.Cell(cut("no answer: " + statement.getCode() + ": " + words, all), Tone.BAD);
            default ->
                words.isEmpty()
                        ? new Table.Cell("nothing of it", Tone.LABEL)
                        : new Table.Cell(cut(words, all), statement.getDiffers() ? Tone.BAD : Tone.PLAIN);
        };
    }

    private static String cut(String text, boolean all) {
        return all ? text : Table.clipped(text, SAYS);
    }

    private static String clock(SourceStatement statement, RenderContext look) {
        return statement.hasSince() ? TimeFormat.clock(statement.getSince(), look.zone()) : "";
    }

    private static String asked(SourceStatement statement) {
        if (statement.getState().equals("ABSENT")) {
            return "";
        }
        Duration age = TimeFormat.duration(statement.getAge());
        return age.toSeconds() == 0 ? "now" : TimeFormat.span(age) + " ago";
    }

    private static List<String> calls(Explanation thing, RenderContext look) {
        if (thing.getCallsCount() == 0) {
            return List.of();
        }
        Table table = Table.headed("CALLED", "API", "RESULT", "TRIES", "REQUEST");
        for (CloudCall call : thing.getCallsList()) {
            table.row(
                    at(call.getAt(), look),
                    call.getApi(),
                    call.getCode().isEmpty() ? Table.cell("ok") : new Table.Cell(call.getCode(), Tone.BAD),
                    call.getAttempts(),
                    call.getRequestId());
        }
        return table.lines(look.palette());
    }

    private static List<String> events(Explanation thing, RenderContext look) {
        if (thing.getEventsCount() == 0) {
            return List.of();
        }
        Table table = Table.headed("LATELY", "EVENT", "MESSAGE");
        for (Event event : thing.getEventsList()) {
            table.row(
                    at(event.getAt(), look),
                    new Table.Cell(event.getType(), Tone.ofState(event.getSeverity())),
                    event.getMessage());
        }
        return table.lines(look.palette());
    }

    private static String at(Timestamp at, RenderContext look) {
        return TimeFormat.clock(at, look.zone());
    }
}
