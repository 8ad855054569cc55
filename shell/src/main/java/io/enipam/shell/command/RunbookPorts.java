package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import io.enipam.shell.runbook.Commands;
import io.enipam.shell.runbook.Pace;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * This shell's commands for a runbook. They print tables unless they say otherwise, whatever the program was told, so
 * that a runbook means the same however it is run.
 */
final class RunbookPorts implements Commands, Pace {
    private final Session session;

    RunbookPorts(Session session) {
        this.session = session;
    }

    @Override
    public boolean changes(List<String> words) {
        Parsed parsed = Parsed.of(session, words);
        return parsed.command().map(RunbookPorts::changes).orElse(false);
    }

    private static boolean changes(ShellCommand command) {
        command.onlyByHand().ifPresent(why -> {
            throw new ShellException(Exit.USAGE, "", "'" + command.name() + "' is not for a runbook: " + why, "");
        });
        command.prepare();
        if (command.asks()) {
            throw new ShellException(
                    Exit.USAGE, "", "'" + command.name() + "' asks first, and a runbook asks nobody", "Add --yes");
        }
        return command.changes();
    }

    @Override
    public Outcome run(List<String> words) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        AtomicReference<String> error = new AtomicReference<>("");
        Screen screen = session.screen();
        try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            Screen captured = new Screen(out, screen.err(), screen.outPalette(), screen.errPalette(), false);
            CommandRunner runner = new CommandRunner(
                    session.unattended(captured, OutputFormat.TABLE), (what, e) -> error.set(ErrorLine.told(what, e)));
            int status = Progress.during(screen, Palette.clean(String.join(" ", words)), () -> runner.command(words));
            return new Outcome(status, output.toString(StandardCharsets.UTF_8), error.get());
        }
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public boolean pause(Duration span) {
        return Interrupts.pause(span);
    }
}
