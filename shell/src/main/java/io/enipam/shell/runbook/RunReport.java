package io.enipam.shell.runbook;

import java.util.Map;

/** Hears how a run goes, in its order, in one thread. No secret is in what it hears. */
public interface RunReport {
    /**
     * It begins.
     *
     * @param values what it was given and the defaults, with stars for secrets
     */
    void begins(Runbook runbook, Map<String, String> values);

    /** A step begins. */
    void starts(int depth, String text);

    /** It ended; the steps of its block come after that. */
    void ended(StepRecord step);

    /** All of it ended. Heard in any case once it began. */
    void ended(RunResult verdict);
}
