package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.shell.pipe.CommandRunner.ParsedCommand;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.runbook.CommandExecutor.Known;
import io.enipam.shell.runbook.CommandExecutor.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** This shell's commands; they print tables, or JSON before a jq, so that a runbook always means the same. */
record SessionCommandExecutor(Session session, boolean yes) implements CommandExecutor {
    @Override
    public Known known(List<String> words) {
        ParsedCommand parsed = ParsedCommand.of(session, words);
        boolean control = parsed.command().orElse(null) instanceof ControlCommand changing && changing.needsControl();
        boolean changes = parsed.command().map(SessionCommandExecutor::changes).orElse(false);
        return new Known(changes, control, parsed.name().split(" ").length);
    }

    private static boolean changes(ShellCommand command) {
        String name = "'" + command.name() + "'";
        command.interactiveOnlyReason().ifPresent(why -> {
            throw ShellException.usage(name + " is not for a runbook: " + why, "");
        });
        command.prepare();
        if (command.endless()) {
            throw ShellException.usage(name + " would not end by itself", "");
        } else if (command.needsConfirmation()) {
            throw ShellException.usage(name + " asks first, and a runbook asks with confirm alone", "Add --yes");
        }
        return command.changes();
    }

    @Override
    public Outcome run(Pipeline pipeline) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        AtomicReference<String> error = new AtomicReference<>("");
        AtomicReference<Optional<FailureOrigin>> origin = new AtomicReference<>(Optional.empty());
        SessionOutput screen = session.screen();
        try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            SessionOutput captured =
                    new SessionOutput(out, screen.err(), screen.outPalette(), screen.errPalette(), false);
            CommandRunner runner = new CommandRunner(session.unattended(captured, OutputFormat.TABLE), (what, e) -> {
                error.set(ErrorLine.format(what, e));
                // a failure here voids the daemon's answer, whichever is reported first
                origin.updateAndGet(
                        before -> before.filter(FailureOrigin.HERE::equals).or(() -> Optional.of(e.origin())));
            });
            // only its first word: there may be a secret among the others
            int status = ProgressLine.during(
                    screen, Palette.clean(pipeline.command().get(0)), () -> runner.pipeline(pipeline));
            return new Outcome(status, output.toString(StandardCharsets.UTF_8), error.get(), origin.get());
        }
    }

    @Override
    public boolean agreed(String question) {
        return yes || session.asker().orElseThrow(ConfirmationOption::missing).test(Palette.clean(question));
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public boolean pause(Duration span) {
        return Interrupts.pause(span);
    }
}
