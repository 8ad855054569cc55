package io.enipam.shell.core;

import com.google.protobuf.Message;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** A command that lists things: says how they look and how to ask for them. Formats, columns, orders are here. */
public abstract class ListCommand<I extends Message> extends DaemonCommand {
    @Mixin
    protected ListOptions view = new ListOptions();

    /** What is listed, given what was typed; asked before the daemon is. */
    protected abstract Listed<I> listed();

    protected final <R extends Message> Listed<I> whole(
            TableListing<I> listing, Function<InspectBlockingStub, R> call, Function<R, List<I>> items) {
        return new Listed<>(listing, () -> {
            R reply = inspect(call);
            return ListReply.of(reply, items.apply(reply));
        });
    }

    /** The same for an answer that comes in parts. */
    protected final <R> Listed<I> parts(
            TableListing<I> listing, Function<InspectBlockingStub, Iterator<R>> call, Function<R, List<I>> items) {
        return new Listed<>(listing, () -> ListReply.of(startStream(call), items));
    }

    /** Finds what is wrong with columns; a command that overrides it calls it. */
    @Override
    public void prepare() {
        view.check(listed().listing());
    }

    @Override
    public Optional<ListRequest> lists() {
        return Optional.of(new ListRequest(view, listed().listing()));
    }

    @Override
    protected void run() {
        new ListPrinter<>(this, view, listed()).run();
    }
}
