package io.enipam.shell.explain;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
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
import java.util.function.Function;
import java.util.stream.Collectors;

/** Explanations: what a thing is, why, what comes next, and what every source says of it. */
public final class ExplainViews {
    /** How much of what a source says is shown, unless all of it is asked for. */
    private static final int SAYS = 72;

    private ExplainViews() {}

    /** @param all also the last events and calls of the cloud, and nothing cut off */
    public static List<String> reply(ExplainReply reply, RenderContext look, boolean all) {
        List<String> lines = new ArrayList<>();
        if (reply.getThingsCount() > 1) {
            String things = reply.getThingsList().stream()
                    .map(thing -> label(thing) + " " + thing.getName())
                    .collect(Collectors.joining(", "));
            lines.add(
                    Palette.clean("'" + reply.getWhat() + "' names " + reply.getThingsCount() + " things: " + things));
        }
        for (Explanation thing : reply.getThingsList()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(details(thing, look));
            Table.section(lines, addresses(thing, look));
            Table.section(lines, sources(thing, look, all));
            if (all) {
                Table.section(lines, calls(thing, look));
                Table.section(lines, events(thing, look));
            }
        }
        if (reply.getMore() > 0) {
            lines.add("");
            lines.add("and " + reply.getMore() + " more: give the full name of the one that is meant");
        }
        reply.getLookedList().forEach(line -> lines.add(Palette.clean(line)));
        return lines;
    }

    private static String label(Explanation thing) {
        return thing.getKind().equals("ENI") ? "ENI" : thing.getKind().toLowerCase(Locale.ROOT);
    }

    private static List<String> details(Explanation thing, RenderContext look) {
        Timestamp at = thing.getSince();
        String since = thing.hasSince() ? " for " + look.age(at) + ", since " + look.clock(at) : "";
        String kind = thing.getKind();
        Table table = Table.details()
                .detail(label(thing), thing.getName())
                .detail("state", thing.getState() + since, Tone.ofState(thing.getState()));
        labelled(table, "why", thing.getWhyList(), why -> why, Tone.PLAIN);
        table.detailIfAny("pod", kind.equals("POD") ? "" : thing.getPod());
        table.detailIfAny(
                "container", kind.equals("CONTAINER") ? "" : thing.getOwner().getContainer());
        table.detailIfAny("ENI", kind.equals("ENI") ? "" : thing.getEni());
        labelled(table, "next", thing.getNextList(), step -> next(step, look), Tone.PLAIN);
        labelled(table, "pending", thing.getOperationsList(), operation -> pending(operation, look), Tone.WAIT);
        labelled(table, "differs", thing.getDifferencesList(), ExplainViews::difference, Tone.BAD);
        return table.lines(look.palette());
    }

    private static <I> void labelled(Table table, String label, List<I> items, Function<I, String> line, Tone tone) {
        for (int i = 0; i < items.size(); i++) {
            table.detail(i == 0 ? label : "", line.apply(items.get(i)), tone);
        }
    }

    private static String next(NextStep step, RenderContext look) {
        String when = "in " + look.left(step.getAt()) + ", at " + look.clock(step.getAt()) + ": ";
        return (step.hasAt() ? when : "") + step.getWhat();
    }

    private static String pending(PendingOperation operation, RenderContext look) {
        return operation.getWords() + ", begun " + look.age(operation.getSince()) + " ago"
                + (operation.getClientToken().isEmpty() ? "" : ", token " + operation.getClientToken());
    }

    private static String difference(SourceDifference difference) {
        return difference.getSaysList().stream()
                .map(said -> said.getSource() + ": " + said.getWords())
                .collect(Collectors.joining("; ", difference.getWhat() + " (", ")"));
    }

    private static List<String> addresses(Explanation thing, RenderContext look) {
        boolean eni = thing.getKind().equals("ENI");
        String headings = "ADDRESS  ROLE  STATE" + (eni ? "  POD" : "");
        return Table.listed(look, thing.getAddressesList(), headings, address -> {
            String role = address.getPrimary() ? "primary" : "secondary";
            Table.Cell state = Table.state(address.getState());
            return eni
                    ? Table.cells(address.getAddress(), role, state, address.getPod())
                    : Table.cells(address.getAddress(), role, state);
        });
    }

    private static List<String> sources(Explanation thing, RenderContext look, boolean all) {
        boolean differs = thing.getSaysList().stream().anyMatch(SourceStatement::getDiffers);
        Table table = differs
                ? Table.headed("SOURCE", "", "SAYS", "SINCE", "ASKED")
                : Table.headed("SOURCE", "SAYS", "SINCE", "ASKED");
        for (SourceStatement statement : thing.getSaysList()) {
            String since = statement.hasSince() ? look.clock(statement.getSince()) : "";
            List<Object> cells =
                    new ArrayList<>(List.of(statement.getSource(), says(statement, all), since, asked(statement)));
            if (differs) {
                cells.add(1, new Table.Cell(statement.getDiffers() ? "!" : "", Tone.BAD));
            }
            table.row(cells.toArray());
        }
        return table.lines(look.palette());
    }

    private static Table.Cell says(SourceStatement statement, boolean all) {
        String words = String.join("; ", statement.getWordsList());
        return switch (statement.getState()) {
            case "ABSENT" -> said("not here: " + words, all, Tone.LABEL);
            case "FAILED" -> said("no answer: " + statement.getCode() + ": " + words, all, Tone.BAD);
            default ->
                words.isEmpty()
                        ? new Table.Cell("nothing of it", Tone.LABEL)
                        : said(words, all, statement.getDiffers() ? Tone.BAD : Tone.PLAIN);
        };
    }

    private static Table.Cell said(String text, boolean all, Tone tone) {
        return new Table.Cell(all ? text : Table.clipped(text, SAYS), tone);
    }

    private static String asked(SourceStatement statement) {
        if (statement.getState().equals("ABSENT")) {
            return "";
        }
        Duration age = TimeFormat.duration(statement.getAge());
        return age.toSeconds() == 0 ? "now" : TimeFormat.span(age) + " ago";
    }

    private static List<String> calls(Explanation thing, RenderContext look) {
        return Table.listed(look, thing.getCallsList(), "CALLED  API  RESULT  TRIES  REQUEST", call -> {
            Object result = call.getCode().isEmpty() ? "ok" : new Table.Cell(call.getCode(), Tone.BAD);
            return Table.cells(
                    look.clock(call.getAt()), call.getApi(), result, call.getAttempts(), call.getRequestId());
        });
    }

    private static List<String> events(Explanation thing, RenderContext look) {
        return Table.listed(look, thing.getEventsList(), "LATELY  EVENT  MESSAGE", event -> {
            Table.Cell type = new Table.Cell(event.getType(), Tone.ofState(event.getSeverity()));
            return Table.cells(look.clock(event.getAt()), type, event.getMessage());
        });
    }
}
