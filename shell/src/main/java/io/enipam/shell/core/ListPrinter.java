package io.enipam.shell.core;

import static io.enipam.shell.core.OutputFormat.CSV;
import static io.enipam.shell.core.OutputFormat.JSON;
import static io.enipam.shell.core.OutputFormat.NAME;
import static io.enipam.shell.core.OutputFormat.TABLE;

import com.google.protobuf.Message;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.TableListing.Column;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Prints a listing once or again and again, in the format, columns and order asked for. */
public final class ListPrinter<I extends Message> {
    /** So many rows say how wide columns are: fewer are waited for, since a list does not take long to come. */
    private static final int ENOUGH_FOR_WIDTHS = 100;

    private final DaemonCommand command;
    private final ListOptions view;
    private final Listed<I> listed;
    private final TableListing<I> listing;

    public ListPrinter(DaemonCommand command, ListOptions view, Listed<I> listed) {
        this.command = command;
        this.view = view;
        this.listed = listed;
        this.listing = listed.listing;
    }

    /**
     * What is listed.
     *
     * @param ask asks for the things, anew at each turn of a watch
     * @param below what is said below a table of all of them, for which all are kept; empty if nothing is
     * @param picture what is shown of all of them in place of a table, unless columns are asked for; empty for a table
     */
    public record Listed<I extends Message>(
            TableListing<I> listing,
            Supplier<ListReply<I>> ask,
            Optional<BiFunction<List<I>, RenderContext, List<String>>> below,
            Optional<BiFunction<List<I>, RenderContext, List<String>>> picture) {
        public Listed(TableListing<I> listing, Supplier<ListReply<I>> ask) {
            this(listing, ask, Optional.empty(), Optional.empty());
        }

        public Listed<I> with(BiFunction<List<I>, RenderContext, List<String>> text) {
            return new Listed<>(listing, ask, Optional.of(text), picture);
        }

        /** Says below that a dash is what the records of the past do not have. */
        public Listed<I> ofThePast() {
            return with((all, look) -> List.of(notRecorded(look)));
        }

        public Listed<I> drawn(BiFunction<List<I>, RenderContext, List<String>> all) {
            return new Listed<>(listing, ask, below, Optional.of(all));
        }
    }

    /** What stands below a listing of the past. */
    public static String notRecorded(RenderContext look) {
        return look.paint(Tone.LABEL, "-: not recorded");
    }

    public void run() {
        if (view.watch == null) {
            once();
        } else {
            watch(view.watch);
        }
    }

    private ListReply<I> answer() {
        ListReply<I> answer = listed.ask.get();
        return view.sortBy.isEmpty() ? answer : answer.sorted(listing.field(), listing.order(view.sortBy));
    }

    private void once() {
        ListReply<I> answer = answer();
        if (command.format().structured() && answer.reply().isPresent()) {
            Message whole = answer.reply().get();
            command.print(List.of(command.json() ? JsonOutput.document(whole) : YamlFormat.document(whole)));
            return;
        }
        switch (command.format()) {
            case JSON -> JsonOutput.stream(listing.field(), answer.parts(), command.out());
            case YAML -> YamlFormat.stream(listing.field(), answer.parts(), command.out());
            case NAME ->
                answer.parts().forEachRemaining(part -> {
                    part.forEach(item -> command.out().println(listing.name(item)));
                    command.out().flush();
                });
            case TABLE, WIDE, VERTICAL, CSV ->
                lines(answer, command::print).ifPresent(note -> command.print(List.of(note)));
        }
    }

    /** What is to be said below all of it of columns that had no room; empty if there are none. */
    private Optional<String> lines(ListReply<I> answer, Consumer<List<String>> to) {
        RenderContext look = command.look();
        if (command.session.tableBuffer().isPresent()) {
            command.session.tableBuffer().get().list(listing, columns(), view.columns.isEmpty(), answer.parts(), look);
            return Optional.empty();
        }
        if (listed.picture.isPresent() && command.format() == TABLE && view.columns.isEmpty()) {
            List<I> all = new ArrayList<>();
            answer.parts().forEachRemaining(all::addAll);
            to.accept(
                    all.isEmpty()
                            ? List.of(listing.none(look))
                            : listed.picture.get().apply(all, look));
            return Optional.empty();
        }
        StreamingTable<I> rows =
                new StreamingTable<>(columns(), command.format(), listing.under(view.columns.isEmpty()));
        List<I> kept = new ArrayList<>();
        List<I> next = new ArrayList<>();
        while (answer.parts().hasNext() && !command.out().checkError()) {
            List<I> part = answer.parts().next();
            next.addAll(part);
            if (next.size() >= ENOUGH_FOR_WIDTHS) {
                to.accept(rows.lines(next, look));
                next.clear();
            }
            if (listed.below.isPresent()) {
                kept.addAll(part);
            }
        }
        if (!next.isEmpty()) {
            to.accept(rows.lines(next, look));
        }
        if (!rows.begun()) {
            to.accept(command.format() == CSV ? rows.lines(List.of(), look) : List.of(listing.none(look)));
        }
        listed.below.filter(text -> command.format().text()).ifPresent(text -> to.accept(text.apply(kept, look)));
        return rows.hidden().map(note -> look.paint(Tone.LABEL, note));
    }

    private List<Column<I>> columns() {
        return view.columns.isEmpty() ? listing.columns(command.format().everyColumn()) : listing.columns(view.columns);
    }

    private String line() {
        ListReply<I> answer = answer();
        if (answer.reply().isPresent()) {
            return JsonOutput.line(answer.reply().get());
        }
        List<String> items = new ArrayList<>();
        answer.parts().forEachRemaining(part -> part.forEach(item -> items.add(JsonOutput.line(item))));
        return "{\"" + listing.field() + "\":[" + String.join(",", items) + "]}";
    }

    private Optional<String> table(List<String> lines) {
        ListReply<I> answer = answer();
        if (command.format() == NAME) {
            answer.parts().forEachRemaining(part -> part.forEach(item -> lines.add(listing.name(item))));
            return Optional.empty();
        }
        return lines(answer, lines::addAll);
    }

    /**
     * Prints until it is interrupted or its reader goes away: on a terminal in its place, waiting for a daemon that is
     * away, elsewhere with a line between, as JSON one document a line.
     */
    private void watch(Duration pace) {
        WatchLoop loop = new WatchLoop(command.session, pace);
        if (command.format().text() || command.format() == NAME) {
            loop.run(this::frame, this::once);
        } else {
            loop.run(turn -> {
                if (command.json()) {
                    command.out().println(line());
                } else {
                    command.out().print(turn == 0 || command.format() == CSV ? "" : "---" + System.lineSeparator());
                    once();
                }
            });
        }
    }

    private WatchLoop.Frame frame() {
        List<String> lines = new ArrayList<>();
        Optional<String> note = Optional.empty();
        try {
            note = table(lines);
        } catch (ShellException e) {
            if (e.exit() != ExitStatus.NOT_ATTACHED) {
                throw e;
            }
            lines.add(command.session.screen().outPalette().paint(Tone.BAD, e.sentence()));
        }
        return new WatchLoop.Frame(lines, note);
    }
}
