package io.enipam.shell.runbook;

import java.time.Duration;
import java.util.List;

/** A line of a runbook that does something. */
public sealed interface Step {
    /** The command in it. */
    Call call();

    /**
     * A command as it is called.
     *
     * @param changes whether it changes the daemon
     */
    record Call(List<String> words, boolean changes) {
        @Override
        public String toString() {
            return String.join(" ", words);
        }
    }

    /** A step that is done once. */
    sealed interface Single extends Step {}

    /** The command must succeed. */
    record Run(Call call) implements Single {}

    /** {@code ! CMD}: the daemon must say no. */
    record Refused(Call call) implements Single {}

    /**
     * {@code expect [!] CMD | grep TEXT}: the command must succeed, and what it prints must hold a line with the text, or
     * none.
     */
    record Expect(Call call, String text, boolean present) implements Single {}

    /**
     * {@code retry TIME: STEP}: the step is done again and again until it holds or the time is over. A try that is under
     * way then is not cut short.
     */
    record Retry(Duration within, Single step) implements Step {
        @Override
        public Call call() {
            return step.call();
        }
    }
}
