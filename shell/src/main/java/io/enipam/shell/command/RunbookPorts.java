package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.Origin;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.render.Palette;
import io.enipam.shell.runbook.Commands;
import io.enipam.shell.runbook.Pace;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * This shell's commands for a runbook. They print tables unless they say otherwise, whatever the program was told, so
 * that a runbook means the same however it is run; before a jq they print JSON, as at the prompt.
 */
final class RunbookPorts implements Commands, Pace {
    private final Session session;
    private final boolean yes;

    /** @param yes whether all questions were answered beforehand */
    RunbookPorts(Session session, boolean yes) {
        this.session = session;
        this.yes = yes;
    }

    @Override
    public Known known(List<String> words) {
        Parsed parsed = Parsed.of(session, words);
        int nameWords = parsed.name().split(" ").length;
        boolean control = parsed.command()
                .filter(command -> command instanceof ControlCommand changing && changing.needsControl())
                .isPresent();
        return new Known(parsed.command().map(RunbookPorts::changes).orElse(false), control, nameWords);
    }

    private static boolean changes(ShellCommand command) {
        command.onlyByHand().ifPresent(why -> {
            throw new ShellException(Exit.USAGE, "", "'" + command.name() + "' is not for a runbook: " + why, "");
        });
        command.prepare();
        if (command.endless()) {
            throw new ShellException(Exit.USAGE, "", "'" + command.name() + "' would not end by itself", "");
        }
        if (command.asks()) {
            throw new ShellException(
                    Exit.USAGE,
                    "",
                    "'" + command.name() + "' asks first, and a runbook asks with confirm alone",
                    "Add --yes");
        }
        return command.changes();
    }

    @Override
    public Outcome run(Pipeline pipeline) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        AtomicReference<String> error = new AtomicReference<>("");
        AtomicReference<Optional<Origin>> origin = new AtomicReference<>(Optional.empty());
        Screen screen = session.screen();
        try (PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            Screen captured = new Screen(out, screen.err(), screen.outPalette(), screen.errPalette(), false);
            CommandRunner runner = new CommandRunner(session.unattended(captured, OutputFormat.TABLE), (what, e) -> {
                error.set(ErrorLine.told(what, e));
                // what failed here makes whatever the daemon said no answer, whichever is told first
                origin.updateAndGet(before -> before.filter(Origin.HERE::equals).or(() -> Optional.of(e.origin())));
            });
            // only its first word: there may be a secret among the others
            int status =
                    Progress.during(screen, Palette.clean(pipeline.command().get(0)), () -> runner.pipeline(pipeline));
            return new Outcome(status, output.toString(StandardCharsets.UTF_8), error.get(), origin.get());
        }
    }

    @Override
    public boolean agreed(String question) {
        return yes || session.asker().orElseThrow(Consent::missing).agrees(Palette.clean(question));
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
