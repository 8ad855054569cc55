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

@Command(name = "run", description = "Run a runbook: a file of commands and of what to expect of them.")
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
    void run(Runbook checked) {
        if (dryRun) {
            print(RunbookCommands.plan(checked, session.renderContext()));
            return;
        }
        if (checked.questions() > 0 && !yes && session.asker().isEmpty()) {
            throw ConfirmationOption.missing();
        }
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
        try {
            requirePermission(checked);
        } catch (ShellException e) {
            RunbookRunner.refused(checked, report, e, session.clock().instant());
            throw e;
        }
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
