package io.enipam.shell.runbook;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Tone;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** A run as at a prompt: each step, and below it what its command printed; of a step that is retried, the last try. */
public final class TextRunReport implements RunReport {
    private static final String PROMPT = "enipam> ";

    private final PrintStream out;
    private final Palette palette;
    private String file = "";

    public TextRunReport(PrintStream out, Palette palette) {
        this.out = out;
        this.palette = palette;
    }

    @Override
    public void begins(Runbook runbook, Map<String, String> values) {
        file = runbook.file();
    }

    @Override
    public void starts(int depth, String text) {
        out.println(palette.paint(Tone.LABEL, PROMPT + "  ".repeat(depth) + text));
        out.flush();
    }

    @Override
    public void ended(StepRecord step) {
        if (!step.kind().equals("for") || step.failure().isPresent()) {
            out.print(step.output());
        }
        if (step.state() == StepRecord.State.YES || step.state() == StepRecord.State.NO) {
            note(step.state() == StepRecord.State.YES ? "it holds" : "it does not hold");
        } else if (step.kind().equals("for") && step.failure().isEmpty()) {
            note(step.output().strip());
        } else if (step.tries() > 1 && step.failure().isEmpty()) {
            note("at the try " + step.tries() + ", after " + seconds(step.took()));
        }
        out.flush();
    }

    private void note(String text) {
        out.println(palette.paint(Tone.LABEL, "# " + text));
    }

    @Override
    public void ended(RunResult verdict) {
        if (verdict.stopped().isEmpty()) {
            note(file + ": " + verdict.steps() + (verdict.steps() == 1 ? " step" : " steps") + " done in "
                    + seconds(verdict.took()) + ", " + verdict.changed() + " of them changed something");
        }
        out.flush();
    }

    static String seconds(Duration span) {
        return String.format(Locale.ROOT, "%.1f s", span.toNanos() / 1e9);
    }
}
