package io.enipam.shell.core;

import static io.enipam.shell.core.OutputFormat.CSV;
import static io.enipam.shell.core.OutputFormat.JSON;
import static io.enipam.shell.core.OutputFormat.NAME;
import static io.enipam.shell.core.OutputFormat.TABLE;
import static io.enipam.shell.core.OutputFormat.VERTICAL;
import static io.enipam.shell.core.OutputFormat.WIDE;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.TableListing.Column;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Option;

/** A command that asks the daemon and prints its answer. */
public abstract class DaemonCommand extends ShellCommand {
    public static final Duration LOOK = Duration.ofSeconds(10);

    public static final Duration LIST = Duration.ofSeconds(60);

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Reader.class,
            description = "How to print it: ${COMPLETION-CANDIDATES}.")
    @Nullable
    OutputFormat output;

    /** By itself, unless it needs more to be typed. */
    @Override
    public List<String> inBundle() {
        boolean complete = spec.positionalParameters().stream().noneMatch(ArgSpec::required)
                && spec.options().stream().noneMatch(ArgSpec::required);
        return complete ? List.of(name()) : List.of();
    }

    @Override
    public boolean knowsThePast() {
        return this instanceof KnowsThePast;
    }

    /** A command that answers for the moment of {@link Session#past} where there is one. */
    public interface KnowsThePast {}

    protected final OutputFormat format() {
        return output == null ? session.format() : output;
    }

    /** Throws a usage error if CSV is asked of what is no list: before anything is done, as it may change something. */
    @Override
    final void requireFormat() {
        if (lists().isEmpty()) {
            refuseCsv(name());
        }
    }

    /** Throws a usage error if CSV is asked of something that is no list. */
    final void refuseCsv(String what) {
        if (output == CSV) {
            throw ShellException.usage("'" + what + "' prints no list, and has no CSV", "Use -o table, json or yaml");
        }
    }

    protected final boolean json() {
        return format() == JSON;
    }

    public final <T> T inspect(Function<InspectBlockingStub, T> call) {
        return waiting(() -> session.daemon().inspect(LOOK, call));
    }

    /** Prints one reply; {@code names} are the identifiers of what it is about. */
    protected final <M extends MessageOrBuilder> void show(
            M reply, BiFunction<M, RenderContext, List<String>> table, Function<M, List<String>> names) {
        switch (format()) {
            case JSON -> print(List.of(JsonOutput.document(reply)));
            case YAML -> print(List.of(YamlFormat.document(reply)));
            case NAME -> print(names.apply(reply).stream().map(Palette::clean).toList());
            case TABLE, WIDE, VERTICAL, CSV -> print(table.apply(reply, look()));
        }
    }

    /** How it is drawn: for the width of the terminal, or as wide as it gets. */
    protected final RenderContext look() {
        return session.renderContext(format() == WIDE || format() == CSV ? 0 : session.columns());
    }

    /** Prints lines for a person wrapped at the end of the terminal, and what is for programs as it is. */
    @Override
    protected void print(List<String> lines) {
        super.print(format() == TABLE || format() == VERTICAL ? Prose.fitted(lines, session.columns()) : lines);
    }

    /** Prints one reply; {@code row} makes it a row among those of other nodes, and is asked for only then. */
    protected final <M extends Message> void show(
            M reply,
            BiFunction<M, RenderContext, List<String>> table,
            Function<M, List<String>> names,
            Supplier<TableListing<M>> row) {
        if (session.tableBuffer().isEmpty() || format().structured() || format() == NAME) {
            show(reply, table, names);
        } else {
            TableListing<M> listing = row.get();
            List<Column<M>> columns = listing.columns(format().everyColumn());
            Iterator<List<M>> parts = List.of(List.of(reply)).iterator();
            session.tableBuffer().get().list(listing, columns, true, parts, session.renderContext());
        }
    }

    protected final ShellException noNames() {
        return ShellException.usage("what '" + name() + "' says has no names", "Use -o table, json or yaml");
    }

    /** A stream whose first part, or whose end, has arrived. */
    public final <R> Iterator<R> startStream(Function<InspectBlockingStub, Iterator<R>> call) {
        return waiting(() -> {
            Iterator<R> parts = session.daemon().list(LIST, call);
            return parts.hasNext() ? parts : Collections.emptyIterator();
        });
    }

    protected final <T> T waiting(Supplier<T> answer) {
        return ProgressLine.during(session.screen(), name(), answer);
    }
}
