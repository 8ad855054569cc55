package io.enipam.shell.pipe;

import static io.enipam.shell.attach.ExitStatus.DONE;
import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.REFUSED;
import static io.enipam.shell.attach.ExitStatus.USAGE;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.UsageErrors;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Runs lines and commands of a session, and says in one line on stderr what went wrong. */
public final class CommandRunner {
    private final Session session;
    private final Report report;
    /** Whether the last failure was what a command found, and not that it could not be done. */
    private boolean verdict;

    /** What to do with a failure: {@code words} as typed, none for a line; {@code what} is empty if nothing was tried. */
    private interface Report {
        void failed(List<String> words, String what, ShellException e);
    }

    public CommandRunner(Session session) {
        this.session = session;
        this.report = (words, what, e) -> {
            verdict = e.origin() == FailureOrigin.VERDICT;
            print(words, what, e);
        };
    }

    /** @param report what to do with a failure, in place of printing it: what failed, and why */
    public CommandRunner(Session session, BiConsumer<String, ShellException> report) {
        this(session, (words, what, e) -> report.accept(what, e));
    }

    private CommandRunner(Session session, Report report) {
        this.session = session;
        this.report = report;
    }

    /** Runs the pipelines of a line, up to the first that fails; the exit status of the last that ran. */
    public int line(String line) {
        return each(line, this::pipeline);
    }

    /** Whether the last line that failed did so by what a command found, as {@code doctor} does: it was done all the same. */
    public boolean endedByVerdict() {
        return verdict;
    }

    /** Checks the commands of a line by the grammar, reports the first wrong one and runs none. The exit status. */
    public int check(String line) {
        return each(line, pipeline -> check(pipeline.command()));
    }

    private int each(String line, ToIntFunction<Pipeline> run) {
        List<Pipeline> pipelines;
        try {
            pipelines = Pipeline.parse(line);
        } catch (ShellException e) {
            return failed(List.of(), "", e);
        }
        int status = DONE.status();
        for (Pipeline pipeline : pipelines) {
            status = run.applyAsInt(pipeline);
            if (status != DONE.status() || session.requestedExitStatus().isPresent()) {
                break;
            }
        }
        return session.requestedExitStatus().orElse(status);
    }

    public int check(List<String> words) {
        ParsedCommand parsed;
        try {
            parsed = ParsedCommand.of(session, words);
        } catch (ShellException e) {
            return failed(words, "", e);
        }
        try {
            parsed.command().ifPresent(ShellCommand::validate);
            return DONE.status();
        } catch (ShellException | StackOverflowError e) {
            return failed(words, parsed.name(), expected(e));
        }
    }

    /**
     * Runs a command with what is behind it, for which the file is opened first. The command's exit status if it
     * failed, else 1 if a filter failed or the last found nothing.
     */
    public int pipeline(Pipeline pipeline) {
        List<String> words = pipeline.command();
        if (pipeline.plain()) {
            return command(words);
        }
        if (check(words) != DONE.status()) {
            return USAGE.status();
        }
        if (pipeline.system().isPresent() && session.readOnly()) {
            return failed(words, "", ShellException.readOnly("the system's shell may change something"));
        }
        Optional<ShellCommand> command = ParsedCommand.of(session, words).command();
        boolean changes;
        try {
            changes = command.map(ShellCommand::changes).orElse(false);
        } catch (ShellException e) {
            return failed(words, "", e);
        }
        boolean endless = command.map(ShellCommand::endless).orElse(false);
        CancellableContext context = Context.current().withCancellation();
        Runnable enough = changes ? () -> {} : () -> context.cancel(null);
        try (PipelineExecution flow = new PipelineExecution(pipeline, output(), endless, enough)) {
            Session inner = session.into(flow.input(), pipeline.readsJson());
            AtomicBoolean answered = new AtomicBoolean();
            Report noting = (typed, what, e) -> {
                answered.set(e.origin() == FailureOrigin.VERDICT);
                report.failed(typed, what, e);
            };
            int status = context.call(() -> new CommandRunner(inner, noting).command(words));
            inner.requestedExitStatus().ifPresent(session::requestExit);
            boolean interrupted = status == INTERRUPTED.status();
            boolean done = status == DONE.status() || (interrupted && flow.cut());
            boolean whole = done || answered.get() || (interrupted && endless);
            boolean found = session.interrupts().guard(() -> flow.end(whole));
            return !done ? status : found ? DONE.status() : REFUSED.status();
        } catch (ShellException e) {
            return failed(words, "", e);
        } catch (Exception | StackOverflowError e) {
            return failed(words, words.get(0), expected(e));
        } finally {
            context.cancel(null);
        }
    }

    private PipelineExecution.Output output() {
        return new PipelineExecution.Output(
                session.screen().out(), session.size().isPresent());
    }

    public int command(List<String> words) {
        CommandLine root = session.commands(words);
        root.setOut(new PrintWriter(session.screen().out(), true, StandardCharsets.UTF_8));
        root.setParameterExceptionHandler((e, args) -> failed(words, "", UsageErrors.of(e)));
        root.setExecutionExceptionHandler(
                (e, command, parsed) -> failed(words, Grammar.nameOf(command.getCommandSpec()), expected(e)));
        try {
            int status = session.interrupts().guard(() -> root.execute(words.toArray(String[]::new)));
            return session.requestedExitStatus().orElse(status);
        } catch (Exception | StackOverflowError e) {
            return failed(words, words.get(0), expected(e));
        }
    }

    private static ShellException expected(Throwable e) {
        if (e instanceof StackOverflowError) {
            return ShellException.here("it is nested too deeply", "Put less into one line");
        }
        return ShellException.of(e);
    }

    private int failed(List<String> words, String what, ShellException e) {
        if (e.exit() != INTERRUPTED) {
            report.failed(words, what, e);
        }
        return e.exit().status();
    }

    private void print(List<String> words, String what, ShellException e) {
        session.screen().out().flush();
        PrintStream err = session.screen().err();
        String command = what.isEmpty() ? String.join(" ", words) : what;
        boolean forProgram = ErrorLine.isForProgram(session.format(), words);
        Palette palette = session.screen().errPalette();
        err.println(forProgram ? ErrorLine.forProgram(command, e) : ErrorLine.forPerson(palette, what, e));
        err.flush();
    }

    /** A command line that the grammar takes, and that has not run. */
    public record ParsedCommand(CommandLine leaf) {
        /** Holds words against the grammar; throws a usage error for what it does not take. No daemon is asked. */
        public static ParsedCommand of(Session session, List<String> words) {
            try {
                List<CommandLine> path = session.commands(words)
                        .parseArgs(words.toArray(String[]::new))
                        .asCommandLineList();
                CommandLine leaf = path.get(path.size() - 1);
                if (leaf.getCommand() instanceof Grammar.Group group && !leaf.isUsageHelpRequested()) {
                    group.run();
                }
                return new ParsedCommand(leaf);
            } catch (ParameterException e) {
                throw UsageErrors.of(e);
            }
        }

        /** The command as it is typed: {@code cni add}. */
        public String name() {
            return Grammar.nameOf(leaf.getCommandSpec());
        }

        /** What would run; empty if only its help was asked for. */
        public Optional<ShellCommand> command() {
            return leaf.getCommand() instanceof ShellCommand command && !leaf.isUsageHelpRequested()
                    ? Optional.of(command)
                    : Optional.empty();
        }
    }
}
