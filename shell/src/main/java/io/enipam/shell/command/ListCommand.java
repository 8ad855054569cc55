package io.enipam.shell.command;

import com.google.protobuf.Message;
import io.enipam.shell.render.Listing;
import io.enipam.shell.render.Look;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/**
 * A command that lists things: says how they look, and how the daemon is asked for them. All formats, columns, orders and the
 * watching of it come from here.
 *
 * @param <I> one of the things
 */
abstract class ListCommand<I extends Message> extends DaemonCommand {
    @Mixin
    ListOptions view = new ListOptions();

    ListCommand(Session session) {
        super(session);
    }

    /** How they are listed; asked before the daemon is. */
    abstract Listing<I> listing();

    /** Asks the daemon for them. */
    abstract Answer<I> ask();

    /** What is said below a table of all of them, for which all are kept; empty if nothing is. */
    Optional<BiFunction<List<I>, Look, List<String>>> below() {
        return Optional.empty();
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
        view.check(listing());
    }

    @Override
    Optional<Listed> lists() {
        return Optional.of(new Listed(view, listing()));
    }

    @Override
    final void run() {
        new ListPrinter<>(this, view, listing(), this::ask, below()).run();
    }
}
