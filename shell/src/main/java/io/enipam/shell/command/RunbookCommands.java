package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Table;
import io.enipam.shell.render.Tone;
import io.enipam.shell.runbook.BrokenRunbook;
import io.enipam.shell.runbook.Runbook;
import io.enipam.shell.runbook.RunbookParser;
import io.enipam.shell.runbook.RunbookRunner;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Files of commands. */
final class RunbookCommands {
    private RunbookCommands() {}

    /** What is done with a runbook once all of it was found right. */
    abstract static class RunbookCommand extends ShellCommand {
        @Completes(LiveKind.FILES)
        @Parameters(paramLabel = "FILE", description = "The runbook.")
        @Nullable
        Path file;

        @Option(
                names = {"-v", "--var"},
                paramLabel = "K=V",
                description = "What stands for $${K} in it. Repeatable.")
        List<String> values = new ArrayList<>();

        private @Nullable Runbook runbook;

        RunbookCommand(Session session) {
            super(session);
        }

        abstract void run(Runbook checked);

        @Override
        final void prepare() {
            runbook = checked();
        }

        @Override
        final void run() {
            run(runbook == null ? checked() : runbook);
        }

        @Override
        Optional<String> onlyByHand() {
            return Optional.of("a runbook has nothing to do with another one");
        }

        /** Reads and checks it; what is wrong is told line by line, as compilers do. */
        private Runbook checked() {
            Map<String, String> variables = Assignments.byName(values, "-v name=value");
            Path given = file == null ? Path.of("") : file;
            try {
                return RunbookParser.parse(given.toString(), text(given), variables, new RunbookPorts(session));
            } catch (BrokenRunbook e) {
                session.screen().out().flush();
                e.problems().forEach(problem -> session.screen().err().println(Palette.clean(problem)));
                throw new ShellException(Exit.USAGE, "", String.valueOf(e.getMessage()), "Nothing of it was run", e);
            }
        }

        private static String text(Path file) {
            if (!Files.isRegularFile(file)) {
                // nor a pipe: a runbook is read once to be checked before a sandbox starts, and once to be run
                throw usage(Files.exists(file) ? file + " is no file" : "there is no file " + file, null);
            }
            try {
                return Files.readString(file);
            } catch (CharacterCodingException e) {
                throw usage(file + " is no text in UTF-8", e);
            } catch (IOException e) {
                throw usage(file + " cannot be read: " + e.getMessage(), e);
            }
        }

        private static ShellException usage(String why, @Nullable Throwable cause) {
            ShellException e = new ShellException(Exit.USAGE, "", why, "Name a runbook");
            if (cause != null) {
                e.initCause(cause);
            }
            return e;
        }

        static String summary(Runbook runbook) {
            int steps = runbook.lines().size();
            return runbook.file() + ": " + steps + (steps == 1 ? " step, " : " steps, ") + runbook.changes()
                    + (runbook.changes() == 1 ? " of them changes something" : " of them change something");
        }
    }

    @Command(
            name = "run",
            description = {
                "Run a runbook: a file of commands and of what to expect of them.",
                "All of it is checked before any of it runs, and it stops at the first line that does not hold. A line is a command, which must succeed, or one of:",
                "  # a comment",
                "  ! CMD                     the daemon must say no",
                "  expect CMD | grep TEXT    CMD must print a line with TEXT",
                "  expect ! CMD | grep TEXT  CMD must print no such line",
                "  retry TIME: STEP          until it holds, or the time is over",
                "Exit status: 4 if an expectation failed, else that of the command that did. Commands that ask need --yes. They print tables, unless they say -o json."
            },
            footer = {"  run swap.runbook --dry-run", "  run swap.runbook -v pod=default/web-0 -v factory=cidr"})
    static final class Run extends RunbookCommand {
        @Option(names = "--dry-run", description = "Only say what would be run, and which of it changes something.")
        boolean dryRun;

        Run(Session session) {
            super(session);
        }

        @Override
        void run(Runbook checked) {
            if (dryRun) {
                print(plan(checked));
                return;
            }
            RunbookPorts ports = new RunbookPorts(session);
            new RunbookRunner(ports, ports, out(), session.screen().outPalette()).run(checked);
        }

        private List<String> plan(Runbook runbook) {
            Table table = Table.headed("LINE", "CHANGES", "STEP");
            for (Runbook.Line line : runbook.lines()) {
                boolean changes = line.step().call().changes();
                table.row(
                        Table.cell(line.number()),
                        changes ? new Table.Cell("yes", Tone.WAIT) : Table.cell("no"),
                        Table.cell(line.text()));
            }
            List<String> lines = new ArrayList<>(table.lines(session.screen().outPalette()));
            lines.add(Palette.clean(summary(runbook)) + "; nothing was run");
            return lines;
        }
    }

    @Command(
            name = "check",
            description = {
                "Say what is wrong with a runbook, all at once.",
                "Nothing is run and no daemon is asked. How one is written: help run"
            },
            footer = "  runbook check swap.runbook -v pod=default/web-0 -v factory=cidr")
    static final class Check extends RunbookCommand {
        Check(Session session) {
            super(session);
        }

        @Override
        void run(Runbook checked) {
            print(List.of(Palette.clean(summary(checked))));
        }
    }
}
