package io.enipam.shell.command;

import com.google.protobuf.MessageOrBuilder;
import io.enipam.shell.render.Json;
import io.enipam.shell.render.Look;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Option;

/** A command that asks the daemon and prints its answer, as a table or as JSON. */
abstract class DaemonCommand extends ShellCommand {
    /** How long a look at the daemon may take. */
    static final Duration LOOK = Duration.ofSeconds(10);

    /** How long a whole list may take. */
    static final Duration LIST = Duration.ofSeconds(60);

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Reader.class,
            description = "How to print it: ${COMPLETION-CANDIDATES}.")
    @Nullable
    OutputFormat output;

    DaemonCommand(Session session) {
        super(session);
    }

    /** By itself, unless it needs more to be typed. */
    @Override
    List<String> inBundle() {
        boolean complete = spec.positionalParameters().stream().noneMatch(ArgSpec::required)
                && spec.options().stream().noneMatch(ArgSpec::required);
        return complete ? List.of(name()) : List.of();
    }

    final boolean json() {
        return (output == null ? session.format() : output) == OutputFormat.JSON;
    }

    final <T> T inspect(Function<InspectBlockingStub, T> call) {
        return waiting(() -> session.daemon().inspect(LOOK, call));
    }

    /** Prints one reply. */
    final <M extends MessageOrBuilder> void show(M reply, BiFunction<M, Look, List<String>> table) {
        print(json() ? List.of(Json.document(reply)) : table.apply(reply, session.look()));
    }

    /**
     * Prints a list that comes in parts: as JSON each item as it arrives, as a table all of them, since their widths
     * decide the columns.
     *
     * @param field the name of the list in the reply
     */
    final <R, I extends MessageOrBuilder> void showList(
            String field,
            Function<InspectBlockingStub, Iterator<R>> call,
            Function<R, List<I>> items,
            BiFunction<List<I>, Look, List<String>> table) {
        Iterator<R> parts = begun(call);
        if (json()) {
            Json.stream(field, mapped(parts, items), out());
        } else {
            List<I> all = new ArrayList<>();
            parts.forEachRemaining(part -> all.addAll(items.apply(part)));
            print(table.apply(all, session.look()));
        }
    }

    /** A stream whose first part, or whose end, has arrived. */
    private <R> Iterator<R> begun(Function<InspectBlockingStub, Iterator<R>> call) {
        return waiting(() -> {
            Iterator<R> parts = session.daemon().stream(LIST, call);
            return parts.hasNext() ? parts : Collections.emptyIterator();
        });
    }

    final <T> T waiting(Supplier<T> answer) {
        return Progress.during(session.screen(), name(), answer);
    }

    private static <R, I> Iterator<I> mapped(Iterator<R> parts, Function<R, I> function) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return parts.hasNext();
            }

            @Override
            public I next() {
                return function.apply(parts.next());
            }
        };
    }
}
