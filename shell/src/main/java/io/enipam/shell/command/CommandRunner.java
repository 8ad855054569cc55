package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Flow;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Tone;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Runs lines and commands of a session, and says in one line on stderr what went wrong. */
public final class CommandRunner {
    private final Session session;
    private final BiConsumer<String, ShellException> report;

    public CommandRunner(Session session) {
        this.session = session;
        this.report = this::print;
    }

    /**
     * @param report what to do with a failure, in place of printing it: what failed, and why
     */
    CommandRunner(Session session, BiConsumer<String, ShellException> report) {
        this.session = session;
        this.report = report;
    }

    /**
     * Runs the pipelines of a line, up to the first that fails.
     *
     * @return the exit status of the last that ran
     */
    public int line(String line) {
        List<Pipeline> pipelines;
        try {
            pipelines = Pipeline.parse(line);
        } catch (ShellException e) {
            return failed("", e);
        }
        int status = Exit.DONE.status();
        for (Pipeline pipeline : pipelines) {
            status = pipeline(pipeline);
            if (status != Exit.DONE.status() || session.left().isPresent()) {
                break;
            }
        }
        return session.left().orElse(status);
    }

    /**
     * Holds all commands of a line against the grammar and says what is wrong with the first that is wrong. Nothing runs
     * and no daemon is asked.
     *
     * @return the exit status
     */
    public int check(String line) {
        List<Pipeline> pipelines;
        try {
            pipelines = Pipeline.parse(line);
        } catch (ShellException e) {
            return failed("", e);
        }
        return pipelines.stream()
                .map(Pipeline::command)
                .mapToInt(this::check)
                .filter(status -> status != Exit.DONE.status())
                .findFirst()
                .orElse(Exit.DONE.status());
    }

    /** The same for one command. */
    public int check(List<String> words) {
        Parsed parsed;
        try {
            parsed = Parsed.of(session, words);
        } catch (ShellException e) {
            return failed("", e);
        }
        try {
            parsed.command().ifPresent(ShellCommand::prepare);
            return Exit.DONE.status();
        } catch (ShellException e) {
            return failed(parsed.name(), e);
        }
    }

    /**
     * Runs a command with what is behind it. A file is opened before the command runs.
     *
     * @return the command's exit status if it failed, else that of what is behind it: 1 if the last filter found nothing
     */
    public int pipeline(Pipeline pipeline) {
        List<String> words = pipeline.command();
        if (pipeline.plain()) {
            return command(words);
        }
        Optional<ShellCommand> command;
        try {
            command = Parsed.of(session, words).command();
        } catch (ShellException e) {
            return failed("", e);
        }
        boolean changes = command.map(ShellCommand::changes).orElse(false);
        boolean endless = command.map(ShellCommand::endless).orElse(false);
        CancellableContext context = Context.current().withCancellation();
        Runnable enough = changes ? () -> {} : () -> context.cancel(null);
        try (Flow flow = new Flow(pipeline, session.screen().out(), endless, enough)) {
            Session inner = session.into(flow.input(), pipeline.readsJson());
            int status = context.call(() -> new CommandRunner(inner, report).command(words));
            inner.left().ifPresent(session::leave);
            boolean interrupted = status == Exit.INTERRUPTED.status() && !flow.cut();
            boolean done = status == Exit.DONE.status() || (flow.cut() && status == Exit.INTERRUPTED.status());
            boolean found = flow.end(done || (interrupted && endless));
            return done && !found ? Exit.REFUSED.status() : done ? Exit.DONE.status() : status;
        } catch (ShellException e) {
            return failed("", e);
        } catch (Exception e) {
            return failed(words.get(0), expected(e));
        } finally {
            context.cancel(null);
        }
    }

    /** Runs one command and returns its exit status. */
    public int command(List<String> words) {
        CommandLine root = CommandTree.of(session, words.get(0));
        root.setOut(new PrintWriter(session.screen().out(), true, StandardCharsets.UTF_8));
        root.setParameterExceptionHandler((e, args) -> failed("", Usage.of(e)));
        root.setExecutionExceptionHandler(
                (e, command, parsed) -> failed(nameOf(command.getCommandSpec()), expected(e)));
        try {
            int status = session.interrupts().guard(() -> root.execute(words.toArray(String[]::new)));
            return session.left().orElse(status);
        } catch (Exception e) {
            return failed(words.get(0), expected(e));
        }
    }

    private static ShellException expected(Exception e) {
        return e instanceof ShellException known
                ? known
                : new ShellException(
                        Exit.REFUSED, "INTERNAL", "this is a bug of the shell: " + e, "Please report it", e);
    }

    private int failed(String what, ShellException e) {
        if (e.exit() != Exit.INTERRUPTED) {
            report.accept(what, e);
        }
        return e.exit().status();
    }

    private void print(String what, ShellException e) {
        session.screen().out().flush();
        session.screen().err().println(errorLine(session.screen().errPalette(), what, e));
        session.screen().err().flush();
    }

    /** The one line about a failure, wherever it is printed. */
    public static String errorLine(Palette palette, String what, ShellException e) {
        return palette.paint(Tone.BAD, "enipam:") + " " + told(what, e);
    }

    /** The same without the program's name. */
    static String told(String what, ShellException e) {
        String line = what.isEmpty() ? e.sentence() : e.line(what);
        return Palette.clean(line.replaceAll("\\s*\\R\\s*", " "));
    }

    /** A command as it is typed, without the program's name. */
    static String nameOf(CommandSpec spec) {
        String name = spec.qualifiedName(" ");
        return name.startsWith("enipam ") ? name.substring("enipam ".length()) : "";
    }
}
