package io.enipam.shell.core;

import static io.enipam.shell.core.OutputFormat.JSON;
import static io.enipam.shell.core.OutputFormat.NAME;
import static io.enipam.shell.core.OutputFormat.TABLE;
import static io.enipam.shell.core.OutputFormat.WIDE;

import com.google.protobuf.Message;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.core.TableListing.Column;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jline.utils.AttributedString;

/** Prints a listing once or again and again, in the format, columns and order asked for. */
public final class ListPrinter<I extends Message> {
    /** So many rows say how wide columns are: fewer are waited for, since a list does not take long to come. */
    private static final int ENOUGH_FOR_WIDTHS = 100;

    private static final String HOME = "\u001b[H";
    private static final String TO_END_OF_LINE = "\u001b[K";
    private static final String TO_END_OF_SCREEN = "\u001b[J";

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

        public Listed<I> drawn(BiFunction<List<I>, RenderContext, List<String>> all) {
            return new Listed<>(listing, ask, below, Optional.of(all));
        }
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
            case TABLE, WIDE -> lines(answer, command::print);
        }
    }

    private void lines(ListReply<I> answer, Consumer<List<String>> to) {
        RenderContext look = command.session.renderContext();
        if (command.session.tableBuffer().isPresent()) {
            command.session.tableBuffer().get().list(listing, columns(), view.columns.isEmpty(), answer.parts(), look);
            return;
        }
        if (listed.picture.isPresent() && command.format() == TABLE && view.columns.isEmpty()) {
            List<I> all = new ArrayList<>();
            answer.parts().forEachRemaining(all::addAll);
            to.accept(
                    all.isEmpty()
                            ? List.of(listing.none(look))
                            : listed.picture.get().apply(all, look));
            return;
        }
        StreamingTable<I> rows = new StreamingTable<>(columns(), listing.under(view.columns.isEmpty()), limit());
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
            to.accept(List.of(listing.none(look)));
        }
        listed.below.ifPresent(text -> to.accept(text.apply(kept, look)));
    }

    private int limit() {
        return command.format() == WIDE || listing.flows() ? 0 : command.session.columns();
    }

    private List<Column<I>> columns() {
        return view.columns.isEmpty() ? listing.columns(command.format() == WIDE) : listing.columns(view.columns);
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

    private List<String> table() {
        List<String> all = new ArrayList<>();
        ListReply<I> answer = answer();
        if (command.format() == NAME) {
            answer.parts().forEachRemaining(part -> part.forEach(item -> all.add(listing.name(item))));
        } else {
            lines(answer, all::addAll);
        }
        return all;
    }

    /**
     * Prints until it is interrupted or its reader goes away: on a terminal in its place, waiting for a daemon that is
     * away, elsewhere with a line between, as JSON one document a line.
     */
    private void watch(Duration pace) {
        Optional<TerminalSize> screen = command.format().structured() ? Optional.empty() : command.session.size();
        boolean more = true;
        for (int turn = 0; more; turn++) {
            if (screen.isPresent()) {
                redraw(turn == 0, pace);
            } else if (command.json()) {
                command.out().println(line());
            } else {
                String between = command.format() == TABLE || command.format() == WIDE ? "--- " + now() : "---";
                command.out().print(turn == 0 ? "" : between + System.lineSeparator());
                once();
            }
            command.out().flush();
            more = !command.out().checkError() && Interrupts.pause(pace);
        }
        if (!command.out().checkError()) {
            throw ShellException.interrupted();
        }
    }

    private Instant now() {
        return command.session.renderContext().now().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Writes all of it in one go over what is there, so that nothing flickers. */
    private void redraw(boolean first, Duration pace) {
        Palette palette = command.session.screen().outPalette();
        List<String> lines = new ArrayList<>();
        lines.add(palette.paint(Tone.LABEL, "every " + pace.toMillis() / 1000.0 + " s, " + now() + "; Ctrl-C ends"));
        try {
            lines.addAll(table());
        } catch (ShellException e) {
            if (e.exit() != ExitStatus.NOT_ATTACHED) {
                throw e;
            }
            lines.add(palette.paint(Tone.BAD, e.sentence()));
        }
        TerminalSize size = command.session.size().orElse(new TerminalSize(80, 24));
        int more = lines.size() - (size.rows() - 1);
        List<String> shown = more > 0 ? lines.subList(0, size.rows() - 2) : lines;
        StringBuilder frame = new StringBuilder(first ? "\u001b[2J" + HOME : HOME);
        shown.forEach(line -> frame.append(clipped(line, size.columns()) + TO_END_OF_LINE + "\r\n"));
        if (more > 0) {
            frame.append("... " + (more + 1) + " more" + TO_END_OF_LINE + "\r\n");
        }
        command.out().print(frame.append(TO_END_OF_SCREEN));
    }

    /** A line that wraps takes two rows, and then the screen would scroll at each turn. */
    private static String clipped(String line, int columns) {
        AttributedString all = AttributedString.fromAnsi(line);
        return all.columnLength() <= columns
                ? line
                : all.columnSubSequence(0, columns).toAnsi();
    }
}
