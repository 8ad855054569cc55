package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Tone;
import io.enipam.shell.runbook.Commands.Outcome;
import io.enipam.shell.runbook.Judge.Failure;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;

/**
 * Runs a runbook line by line up to the first that does not hold. Each line is printed as at a prompt, and below it what
 * its command printed; of a step that is retried, what the last try printed. One object runs one runbook after another.
 */
public final class RunbookRunner {
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);
    private static final String PROMPT = "enipam> ";

    private final Commands commands;
    private final Pace pace;
    private final PrintStream out;
    private final Palette palette;

    /** A try of a step, and how many there were. */
    private record Tried(Outcome outcome, Optional<Failure> failure, int tries) {}

    public RunbookRunner(Commands commands, Pace pace, PrintStream out, Palette palette) {
        this.commands = commands;
        this.pace = pace;
        this.out = out;
        this.palette = palette;
    }

    /**
     * Runs all of it.
     *
     * @throws ShellException if a line does not hold: {@code FILE:LINE: WHY}, to exit with {@link Exit#UNEXPECTED} if
     *     an expectation failed, else as the command did
     */
    public void run(Runbook runbook) {
        for (Runbook.Line line : runbook.lines()) {
            out.println(palette.paint(Tone.LABEL, PROMPT + line.text()));
            out.flush();
            Tried tried = tried(line.step());
            show(tried);
            tried.failure().ifPresent(failure -> {
                throw new ShellException(
                        failure.exit(), "", runbook.file() + ":" + line.number() + ": " + failure.why(), "");
            });
        }
    }

    private void show(Tried tried) {
        out.print(tried.outcome().output());
        // the refusal that a step wanted is part of what it shows; one that nobody wanted is the error of the run
        if (tried.failure().isEmpty() && !tried.outcome().error().isEmpty()) {
            out.println("enipam: " + tried.outcome().error());
        }
        out.flush();
    }

    private Tried tried(Step step) {
        if (step instanceof Step.Retry retry) {
            return again(retry);
        }
        return once((Step.Single) step, 1);
    }

    private Tried once(Step.Single step, int tries) {
        Outcome outcome = commands.run(step.call().words());
        return new Tried(outcome, Judge.judge(step, outcome), tries);
    }

    /** Tries at least once, and for the last time when the time is over. */
    private Tried again(Step.Retry retry) {
        long end = pace.nanos() + retry.within().toNanos();
        Tried tried = once(retry.step(), 1);
        long left = end - pace.nanos();
        while (tried.failure().filter(RunbookRunner::mayPass).isPresent() && left > 0) {
            if (!pace.pause(Duration.ofNanos(Math.min(left, BETWEEN_TRIES.toNanos())))) {
                throw new ShellException(Exit.INTERRUPTED, "", "interrupted", "");
            }
            tried = once(retry.step(), tried.tries() + 1);
            left = end - pace.nanos();
        }
        return left > 0 ? tried : withTries(tried);
    }

    private static Tried withTries(Tried tried) {
        return new Tried(
                tried.outcome(),
                tried.failure()
                        .map(failure -> new Failure(
                                failure.exit(),
                                failure.why() + "; the last of " + tried.tries()
                                        + (tried.tries() == 1 ? " try" : " tries"))),
                tried.tries());
    }

    /** Whether waiting may help: not if somebody wants the run to end, and not if the command is none. */
    private static boolean mayPass(Failure failure) {
        return failure.exit() != Exit.INTERRUPTED && failure.exit() != Exit.USAGE;
    }
}
