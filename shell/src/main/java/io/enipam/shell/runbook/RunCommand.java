package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.attach.SocketPath;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.runbook.RunReport.CompositeReport;
import io.enipam.shell.runbook.RunReport.JsonLinesReport;
import io.enipam.shell.runbook.RunReport.ReportFormat;
import io.enipam.shell.runbook.RunReport.TextRunReport;
import io.enipam.shell.runbook.RunbookHeader.Needs;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "run",
        description = {
            "Run a runbook: a file of commands and of what to expect of them.",
            "All of it is checked before any of it runs, and it stops at the first line that does not hold. A line is a command, which must succeed, or one of:",
            "  # a comment                 a line that ends with \\ goes on on the next",
            "  ! CMD                       the daemon must say no",
            "  try CMD                     the daemon may say no",
            "  expect CMD | grep PATTERN   a line must match; with ! before CMD, none",
            "  expect CMD | jq EXPR        it must be true",
            "  expect CMD | jq EXPR == V   or != < <= > >= =~ contains",
            "  set x = CMD | jq EXPR       from here on, $${x} is the result",
            "  retry TIME: STEP            any of these, until it holds or time is over",
            "  if CMD | jq EXPR            or: if $${x} == V; steps; else; steps; end",
            "  for x in CMD | jq EXPR      or: for x in list A B; steps; end",
            "  on-error                    steps; end: done once if a later step fails",
            "  include FILE                its steps; named from here, or one of 'runbook list'",
            "  confirm \"QUESTION\"          asks; needs --yes where there is no terminal",
            "  echo TEXT                   prints it",
            "Steps of a block, else and end have lines of their own. Numbers compare as numbers, and times as times. A value stays within its word; in a jq expression it is a string, in a pattern it means itself. A header may come first: see 'runbook show pre-upgrade-check'.",
            "A no, to ! CMD and to a bare if CMD, is the daemon's own, or that of a check which found something. A mistake in the line, a daemon that is gone or silent, a file that cannot be written, a broken filter and Ctrl-C are none: the run stops there.",
            "Exit status: 4 if an expectation failed, 130 if it was interrupted or not confirmed, else that of the command that failed. Commands that ask need --yes in the line. They print tables, unless they say otherwise or a jq stands behind them."
        },
        footer = {
            "  run fix-leaks --dry-run",
            "  run swap.runbook -v pod=default/web-0 -v factory=cidr",
            "  run post-reboot-check -o junit --to report.xml",
            "  run -c 'expect pool show | jq .pool.counts.idle >= 2'",
            "    enipam> expect pool show | jq .pool.counts.idle >= 2",
            "    2",
            "    # -c: 1 step done in 0.0 s, 0 of them changed something"
        })
public final class RunCommand extends RunbookCommands.RunbookCommand {
    @Option(names = "-c", paramLabel = "TEXT", description = "The runbook itself, in place of FILE.")
    @Nullable
    String text;

    @Option(names = "--dry-run", description = "Only say what would be run, and which of it changes something.")
    boolean dryRun;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask: the answer to each confirm is yes.")
    boolean yes;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = ReportFormat.Reader.class,
            description = "How the run is told: ${COMPLETION-CANDIDATES}; json, here or before run, is jsonl.")
    @Nullable
    ReportFormat chosen;

    @Completes(CompletionKind.FILES)
    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "Where that goes; then the text is still printed. By default it is printed itself.")
    @Nullable
    Path to;

    @Override
    boolean complete() {
        return true;
    }

    @Override
    public boolean changes() {
        return !dryRun && known().changes() > 0;
    }

    @Override
    public boolean needsConfirmation() {
        return !dryRun && !yes && known().questions() > 0;
    }

    @Override
    public boolean writesLocalFile() {
        return to != null;
    }

    @Override
    ScriptSource source() {
        if (text != null && file != null) {
            throw ShellException.usage("both -c and a file", "Leave one of them out");
        }
        return text == null ? super.source() : ScriptSource.text("-c", text);
    }

    @Override
    void admit(Runbook checked) {
        if (checked.needs() == Needs.CONTROL && !dryRun) {
            requireWritable();
        }
    }

    @Override
    void run(Runbook checked) {
        if (dryRun) {
            print(RunbookCommands.plan(checked, session.screen().outPalette()));
            return;
        }
        if (checked.questions() > 0 && !yes && session.asker().isEmpty()) {
            throw ConfirmationOption.missing();
        }
        requirePermission(checked);
        session.interrupts().untilEnded(() -> reported(checked));
    }

    private void reported(Runbook checked) {
        RunResult result;
        if (to == null) {
            result = run(checked, report(format(), out()));
        } else {
            try (PrintStream opened = new PrintStream(Files.newOutputStream(to), true, StandardCharsets.UTF_8)) {
                RunReport text = new TextRunReport(out(), session.screen().outPalette());
                result = run(checked, new CompositeReport(List.of(text, report(format(), opened))));
                if (opened.checkError()) {
                    String why = "the report in " + to + " is not complete";
                    throw new ShellException(ExitStatus.REFUSED, "", why, "Is the disk full?");
                }
            } catch (IOException e) {
                throw AtomicOutputFile.of(to, e);
            }
        }
        if (result.stopped().isPresent()) {
            throw ended(result);
        }
    }

    private RunResult run(Runbook checked, RunReport report) {
        return new RunbookRunner(new SessionCommandExecutor(session, yes), report).run(checked);
    }

    /** The error of a run; of one that was interrupted it is printed here, since the prompt says nothing of those. */
    private ShellException ended(RunResult result) {
        ShellException e = new ShellException(result.exit(), "", result.line(), "");
        if (result.exit() == ExitStatus.INTERRUPTED) {
            session.screen().err().println(ErrorLine.forPerson(session.screen().errPalette(), "run", e));
        }
        return e;
    }

    /** The command's own format, else the one of the program. */
    private ReportFormat format() {
        return chosen != null ? chosen : session.format() == OutputFormat.JSON ? ReportFormat.JSONL : ReportFormat.TEXT;
    }

    private RunReport report(ReportFormat wanted, PrintStream out) {
        return switch (wanted) {
            case TEXT -> new TextRunReport(out, to == null ? session.screen().outPalette() : Palette.PLAIN);
            case JSONL -> new JsonLinesReport(out);
            case JUNIT -> new JunitReport(out, host());
        };
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private void requirePermission(Runbook checked) {
        if (checked.needs() == Needs.CONTROL
                && !SocketPath.mayControl(session.daemon().socket())) {
            String file = checked.file();
            throw new ShellException(
                    ExitStatus.REFUSED,
                    "PERMISSION_DENIED",
                    file + " needs the permission to control, and you may only inspect; nothing of it was run",
                    "Run it as root or as the daemon's user; what it would do: run " + file + " --dry-run");
        }
    }
}
