package io.enipam.shell.runbook;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookHeader.RunbookParameter;
import io.enipam.shell.runbook.RunbookParser.InvalidRunbookException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "runbook",
        description = "Runbooks: files of commands.",
        subcommands = {RunbookCommands.ListAll.class, RunbookCommands.Show.class, RunbookCommands.Check.class})
public final class RunbookCommands {
    private RunbookCommands() {}

    /** What is done with a runbook once all of it was found right. */
    abstract static class RunbookCommand extends ShellCommand {
        @Completes(CompletionKind.RUNBOOKS)
        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description = "The runbook: a file, a name of 'runbook list', or - for stdin.")
        @Nullable
        String file;

        @Completes(CompletionKind.RUNBOOK_PARAMETERS)
        @Option(
                names = {"-v", "--var"},
                paramLabel = "K=V",
                description = "The value of a parameter, $${K} in it. Repeatable.")
        List<String> values = new ArrayList<>();

        private @Nullable Runbook runbook;

        abstract void run(Runbook checked);

        /** Whether every value has to be there. */
        abstract boolean complete();

        @Override
        public final void prepare() {
            runbook = checked();
        }

        @Override
        public final void run() {
            run(known());
        }

        @Override
        public Optional<String> interactiveOnlyReason() {
            return Optional.of("one runbook becomes a part of another with include");
        }

        /** The runbook that was found right; it is read now if it was not before. */
        final Runbook known() {
            Runbook ready = runbook == null ? checked() : runbook;
            runbook = ready;
            return ready;
        }

        /** A shipped one if it has the name that was given, else the file, or stdin for -. Throws a usage error. */
        ScriptSource source() {
            String word = file;
            if (word == null) {
                throw ShellException.usage("which runbook?", "Name a file, or one of 'runbook list'; see 'help run'");
            } else if (word.equals("-")) {
                Supplier<String> input = session.input()
                        .orElseThrow(() -> ShellException.usage(
                                "the commands come from there already", "Start it as: enipam run - < FILE"));
                return ScriptSource.text("stdin", input.get());
            }
            return RunbookLibrary.named(word).orElseGet(() -> {
                Path path = ScriptSource.path(word);
                boolean name = word.indexOf('/') < 0 && !word.endsWith(".runbook");
                return name && !Files.exists(path) ? RunbookLibrary.required(word) : ScriptSource.file(path);
            });
        }

        /** Reads and checks it; reports problems line by line, as compilers do. */
        private Runbook checked() {
            Map<String, String> variables = byName(values, "-v name=value");
            try {
                return RunbookParser.parse(source(), variables, complete(), new SessionCommandExecutor(session, false));
            } catch (InvalidRunbookException e) {
                out().flush();
                e.problems().forEach(problem -> session.screen().err().println(Palette.clean(problem)));
                String why = String.valueOf(e.getMessage());
                throw new ShellException(ExitStatus.USAGE, "", why, "Nothing of it was run", e);
            }
        }

        static String summary(Runbook runbook) {
            return runbook.file() + ": " + Table.counted(runbook.size(), "step") + ", " + runbook.changes()
                    + (runbook.changes() == 1 ? " of them changes something" : " of them change something");
        }
    }

    @Command(name = "check", description = "Say what is wrong with a runbook, all at once.")
    public static final class Check extends RunbookCommand {
        @Override
        boolean complete() {
            return false;
        }

        @Override
        void run(Runbook checked) {
            print(List.of(Palette.clean(summary(checked) + "; needs permission to " + checked.needs())));
        }
    }

    @Command(name = "list", description = "The runbooks that come with this shell.")
    public static final class ListAll extends ListCommand<Struct> {
        @Override
        protected Listed<Struct> listed() {
            return new Listed<>(RunbookCommands.LIST, ListAll::shipped)
                    .with((items, look) -> List.of("", RunbookCommands.ADVICE));
        }

        private static ListReply<Struct> shipped() {
            return ListReply.of(RunbookLibrary.names().stream()
                    .map(name -> RunbookCommands.item(RunbookLibrary.header(RunbookLibrary.required(name))))
                    .toList());
        }
    }

    @Command(name = "show", description = "A runbook of the library, as it is written.")
    public static final class Show extends ShellCommand {
        @Completes(CompletionKind.RUNBOOKS)
        @Parameters(paramLabel = "NAME", description = "The runbook; see: runbook list")
        String name = "";

        @Override
        public void prepare() {
            RunbookLibrary.required(name);
        }

        @Override
        public void run() {
            out().print(RunbookLibrary.required(name).text());
            out().flush();
        }
    }

    /** The library, in the order of its index; an item is what {@link #item} makes of a header. */
    static final TableListing<Struct> LIST = TableListing.<Struct>of("runbooks", item -> ListReply.text(item, "name"))
            .text("name", "NAME", item -> ListReply.text(item, "name"))
            .text("needs", "NEEDS", item -> ListReply.text(item, "needs"))
            .text("parameters", "PARAMETERS", RunbookCommands::parameters)
            .text("description", "WHAT IT IS FOR", item -> ListReply.text(item, "description"))
            .flowing()
            .build();

    static final String ADVICE =
            "More on one: runbook show NAME. What it would do: run NAME --dry-run. ! stands for: has to be given, with -v";

    /** What would run, block within block. */
    static List<String> plan(Runbook runbook, RenderContext look) {
        Table table = Table.headed("LINE", "CHANGES", "STEP").prose(2);
        for (Runbook.Planned step : runbook.plan()) {
            SourcePosition place = step.place();
            Object changes = step.changes() ? new Table.Cell("yes", Tone.WAIT) : "no";
            Object line = place.file().equals(runbook.file()) ? place.line() : place.ofLine();
            table.row(line, changes, "  ".repeat(step.depth()) + step.text());
        }
        List<String> lines = new ArrayList<>(table.lines(look));
        lines.add(Palette.clean(RunbookCommand.summary(runbook)) + "; nothing was run");
        return lines;
    }

    /** The description of a shipped one; the daemon has no part in it, so the protocol has no message for it. */
    static Struct item(RunbookHeader header) {
        List<Value> parameters =
                header.parameters().stream().map(RunbookCommands::parameter).toList();
        String needs = header.needs().map(RunbookHeader.Needs::toString).orElse("");
        return Struct.newBuilder()
                .putFields("name", Values.of(header.name()))
                .putFields("description", Values.of(header.description()))
                .putFields("needs", Values.of(needs))
                .putFields("parameters", Values.of(parameters))
                .build();
    }

    private static Value parameter(RunbookParameter parameter) {
        Struct.Builder fields = Struct.newBuilder()
                .putFields("name", Values.of(parameter.name()))
                .putFields("type", Values.of(parameter.type().toString()))
                .putFields("required", Values.of(parameter.required()))
                .putFields("doc", Values.of(parameter.doc()));
        parameter.fallback().ifPresent(fallback -> fields.putFields("default", Values.of(fallback)));
        return Values.of(fields.build());
    }

    private static String parameters(Struct item) {
        return item.getFieldsOrThrow("parameters").getListValue().getValuesList().stream()
                .map(Value::getStructValue)
                .map(parameter -> ListReply.text(parameter, "name")
                        + (parameter.getFieldsOrThrow("required").getBoolValue() ? "!" : ""))
                .collect(Collectors.joining(" "));
    }
}
