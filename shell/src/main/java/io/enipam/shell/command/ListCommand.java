package io.enipam.shell.command;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.enipam.shell.render.Column;
import io.enipam.shell.render.Json;
import io.enipam.shell.render.Listing;
import io.enipam.shell.render.Look;
import io.enipam.shell.render.Rows;
import io.enipam.shell.render.Yaml;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/**
 * A command that lists things: says how they look, and how the daemon is asked for them. All formats, columns, orders and the
 * watching of it come from here.
 *
 * @param <I> one of the things
 */
abstract class ListCommand<I extends Message> extends DaemonCommand {
    /** So many rows say how wide columns are: fewer are waited for, since a list does not take long to come. */
    private static final int ENOUGH_FOR_WIDTHS = 100;

    @Mixin
    ListOptions view = new ListOptions();

    ListCommand(Session session) {
        super(session);
    }

    /** How they are listed; asked before the daemon is. */
    abstract Listing<I> listing();

    /** Asks the daemon for them. */
    abstract Answer<I> ask();

    /** What is said below a table of all of them. */
    List<String> below(List<I> items, Look look) {
        return List.of();
    }

    /** Whether {@link #below} may have something to say, for which all items are kept. */
    boolean hasBelow() {
        return false;
    }

    /** An answer that comes whole. */
    final <R extends Message> Answer<I> whole(Function<InspectBlockingStub, R> call, Function<R, List<I>> items) {
        R reply = inspect(call);
        return Answer.of(reply, items.apply(reply));
    }

    /** An answer that comes in parts, the first of which has arrived. */
    final <R> Answer<I> parts(Function<InspectBlockingStub, Iterator<R>> call, Function<R, List<I>> items) {
        return Answer.of(begun(call), items);
    }

    /** Finds what is wrong with columns; a command that overrides it calls it. */
    @Override
    void prepare() {
        listing().columns(view.columns);
        listing().order(view.sortBy);
    }

    @Override
    boolean endless() {
        return view.watch != null;
    }

    @Override
    Optional<String> onlyByHand() {
        return endless() ? Optional.of("--watch ends only at Ctrl-C") : Optional.empty();
    }

    @Override
    final void run() {
        if (view.watch == null) {
            once();
        } else {
            new Watch(session, format(), out(), view.watch).run(this::once, this::line, this::table);
        }
    }

    private Answer<I> answer() {
        Answer<I> answer = ask();
        return view.sortBy.isEmpty()
                ? answer
                : answer.sorted(listing().field(), listing().order(view.sortBy));
    }

    private void once() {
        Answer<I> answer = answer();
        switch (format()) {
            case JSON -> document(answer, Json::document, Json::stream);
            case YAML -> document(answer, Yaml::document, Yaml::stream);
            case NAME ->
                answer.parts().forEachRemaining(part -> {
                    part.forEach(item -> out().println(listing().name(item)));
                    out().flush();
                });
            case TABLE, WIDE -> print(answer);
        }
    }

    /** How a list that comes in parts is printed as one document. */
    private interface Streaming {
        void print(String field, Iterator<? extends List<? extends MessageOrBuilder>> parts, PrintStream out);
    }

    private void document(Answer<I> answer, Function<Message, String> whole, Streaming stream) {
        if (answer.reply().isPresent()) {
            print(List.of(whole.apply(answer.reply().get())));
        } else {
            stream.print(listing().field(), answer.parts(), out());
        }
    }

    private void print(Answer<I> answer) {
        lines(answer, this::print);
    }

    private void lines(Answer<I> answer, Consumer<List<String>> to) {
        Look look = session.look();
        Rows<I> rows = new Rows<>(columns(), format() == OutputFormat.WIDE ? 0 : session.columns());
        List<I> kept = new ArrayList<>();
        List<I> next = new ArrayList<>();
        while (answer.parts().hasNext() && !out().checkError()) {
            List<I> part = answer.parts().next();
            next.addAll(part);
            if (next.size() >= ENOUGH_FOR_WIDTHS) {
                to.accept(rows.lines(next, look));
                next.clear();
            }
            if (hasBelow()) {
                kept.addAll(part);
            }
        }
        if (!next.isEmpty()) {
            to.accept(rows.lines(next, look));
        }
        if (!rows.begun()) {
            to.accept(List.of(listing().none(look)));
        }
        to.accept(below(kept, look));
    }

    private List<Column<I>> columns() {
        return view.columns.isEmpty()
                ? listing().columns(format() == OutputFormat.WIDE)
                : listing().columns(view.columns);
    }

    /** The whole of it as JSON on one line. */
    private String line() {
        Answer<I> answer = answer();
        if (answer.reply().isPresent()) {
            return Json.line(answer.reply().get());
        }
        StringBuilder line = new StringBuilder("{\"" + listing().field() + "\":[");
        String before = "";
        while (answer.parts().hasNext()) {
            for (I item : answer.parts().next()) {
                line.append(before).append(Json.line(item));
                before = ",";
            }
        }
        return line.append("]}").toString();
    }

    /** The whole of it as lines for a terminal. */
    private List<String> table() {
        List<String> all = new ArrayList<>();
        Answer<I> answer = answer();
        if (format() == OutputFormat.NAME) {
            answer.parts()
                    .forEachRemaining(
                            part -> part.forEach(item -> all.add(listing().name(item))));
        } else {
            lines(answer, all::addAll);
        }
        return all;
    }
}
