package io.enipam.shell.core;

import com.google.protobuf.Message;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** A command that lists things: says how they look and how to ask the daemon. Formats, columns, orders are here. */
public abstract class ListCommand<I extends Message> extends DaemonCommand {
    @Mixin
    ListOptions view = new ListOptions();

    private final TableListing<I> listing;

    public ListCommand(TableListing<I> listing) {
        this.listing = listing;
    }

    /** How they are listed, given what was typed; asked before the daemon is. */
    protected TableListing<I> listing() {
        return listing;
    }

    protected abstract ListReply<I> ask();

    /** What is said below a table of all of them, for which all are kept; empty if nothing is. */
    protected Optional<BiFunction<List<I>, RenderContext, List<String>>> below() {
        return Optional.empty();
    }

    protected final <R extends Message> ListReply<I> whole(
            Function<InspectBlockingStub, R> call, Function<R, List<I>> items) {
        R reply = inspect(call);
        return ListReply.of(reply, items.apply(reply));
    }

    /** An answer that comes in parts, the first of which has arrived. */
    protected final <R> ListReply<I> parts(
            Function<InspectBlockingStub, Iterator<R>> call, Function<R, List<I>> items) {
        return ListReply.of(startStream(call), items);
    }

    /** Finds what is wrong with columns; a command that overrides it calls it. */
    @Override
    public void prepare() {
        view.check(listing());
    }

    @Override
    protected Optional<ListRequest> lists() {
        return Optional.of(new ListRequest(view, listing()));
    }

    @Override
    protected final void run() {
        new ListPrinter<>(this, view, listing(), this::ask, below()).run();
    }
}
