package io.enipam.shell.runbook;

import com.google.protobuf.Struct;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.KeyValueArguments;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.ShellCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Files of commands. */
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
            admit(runbook);
        }

        /** Finds what keeps a right one from being begun here, without a daemon; throws a usage error. */
        void admit(Runbook checked) {}

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

        ScriptSource source() {
            if (file == null) {
                throw new ShellException(
                        ExitStatus.USAGE,
                        "",
                        "which runbook?",
                        "Name a file, or one of 'runbook list'; see 'help run'");
            }
            return RunbookResolver.of(session, file);
        }

        /** Reads and checks it; what is wrong is told line by line, as compilers do. */
        private Runbook checked() {
            Map<String, String> variables = KeyValueArguments.byName(values, "-v name=value");
            try {
                return RunbookParser.parse(source(), variables, complete(), new SessionCommandExecutor(session, false));
            } catch (InvalidRunbookException e) {
                session.screen().out().flush();
                e.problems().forEach(problem -> session.screen().err().println(Palette.clean(problem)));
                throw new ShellException(
                        ExitStatus.USAGE, "", String.valueOf(e.getMessage()), "Nothing of it was run", e);
            }
        }

        static String summary(Runbook runbook) {
            return runbook.file() + ": " + runbook.size() + (runbook.size() == 1 ? " step, " : " steps, ")
                    + runbook.changes()
                    + (runbook.changes() == 1 ? " of them changes something" : " of them change something");
        }
    }

    @Command(
            name = "check",
            description = {
                "Say what is wrong with a runbook, all at once.",
                "All of it is read, with what it includes, and each command held against the grammar; each problem is told with its line and column. Nothing is run and no daemon is asked. Parameters need no values for it. How one is written: help run"
            },
            footer = {
                "  runbook check swap.runbook",
                "    swap.runbook:7:8: unknown command 'pol'. Did you mean 'pool'?",
                "  runbook check swap.runbook -v pod=default/web-0 -v factory=cidr"
            })
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

    @Command(
            name = "list",
            description = {"The runbooks that come with this shell.", "One is run by its name: run NAME"},
            footer = {
                "  runbook list",
                "  runbook list --columns name,needs,parameters -o wide",
                "  runbook list -o name"
            })
    public static final class ListAll extends ListCommand<Struct> {
        public ListAll() {
            super(RunbookViews.LIST);
        }

        @Override
        public ListReply<Struct> ask() {
            return ListReply.of(RunbookLibrary.names().stream()
                    .map(RunbookLibrary::required)
                    .map(RunbookLibrary::header)
                    .map(RunbookViews::item)
                    .toList());
        }

        @Override
        public Optional<BiFunction<List<Struct>, RenderContext, List<String>>> below() {
            return Optional.of((items, look) -> RunbookViews.advice());
        }
    }

    @Command(
            name = "show",
            description = {
                "A runbook of the library, as it is written.",
                "Its header says what it is for, what permission it needs and what its parameters are. To change one, keep a copy and edit that."
            },
            footer = {"  runbook show fix-leaks", "  runbook show fix-leaks > mine.runbook"})
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
}
