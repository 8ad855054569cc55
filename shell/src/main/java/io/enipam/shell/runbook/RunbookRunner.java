package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.Runbook.Planned;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.StepRecord.State;
import io.enipam.shell.runbook.StepRecord.StepResult;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a runbook step by step up to the first that does not hold, then on-error from the innermost file outwards, each
 * once; not after an interrupt or a no to a question. One object runs one runbook, once.
 */
public final class RunbookRunner {
    private final CommandExecutor commands;
    private final RunReport report;
    private final Variables values = new Variables();
    private final StepExecutor executor;
    private long steps;
    private long changed;

    public RunbookRunner(CommandExecutor commands, RunReport report) {
        this.commands = commands;
        this.report = report;
        this.executor = new StepExecutor(commands, values);
    }

    public RunResult run(Runbook runbook) {
        long start = commands.nanos();
        values.with(runbook.header(), runbook.values());
        report.begins(runbook, values.shown());
        Optional<RunAbortedException> stop = Optional.empty();
        try {
            file(runbook.steps(), 0);
        } catch (RunAbortedException e) {
            stop = Optional.of(e);
        }
        Duration took = Duration.ofNanos(commands.nanos() - start);
        RunResult result = new RunResult(steps, changed, took, stop.map(e -> e.where), stop.flatMap(e -> e.alsoFailed));
        report.ended(result);
        return result;
    }

    /** Reports a run of which no step could be tried, such as without a daemon. */
    static void refused(Runbook runbook, RunReport report, ShellException why, Instant at) {
        StepFailure failure = StepFailure.of(why.exit(), why.sentence());
        SourcePosition place = runbook.steps().isEmpty()
                ? new SourcePosition(runbook.file(), 1, 1)
                : runbook.steps().get(0).line().start();
        report.begins(runbook, Map.of());
        Planned nothing = new Planned(place, 0, false, "attach to the daemon");
        report.ended(new StepRecord(
                nothing, "attach", at, Duration.ZERO, new StepResult(State.FAILED, "", Optional.of(failure), 1)));
        RunResult.Stopped stopped = new RunResult.Stopped(place, failure);
        report.ended(new RunResult(0, 0, Duration.ZERO, Optional.of(stopped), Optional.empty()));
    }

    private void file(List<RunbookStep> file, int depth) {
        RunbookStep.@Nullable OnError guard = null;
        for (RunbookStep step : file) {
            if (step instanceof RunbookStep.OnError onError) {
                guard = onError;
                continue;
            }
            try {
                step(step, depth);
            } catch (RunAbortedException stop) {
                if (guard != null && stop.where.failure().exit() != ExitStatus.INTERRUPTED) {
                    afterwards(guard, stop, depth);
                }
                throw stop;
            }
        }
    }

    private void afterwards(RunbookStep.OnError guard, RunAbortedException stop, int depth) {
        values.put(VariableScope.FAILURE, VariableValue.text(stop.where.toString()));
        try {
            did(guard, depth, "on-error", () -> StepResult.passed(""));
            block(guard.inner(), depth + 1);
        } catch (RunAbortedException second) {
            // the first such failure stays
            stop.alsoFailed = stop.alsoFailed.or(() -> Optional.of(second.where));
        }
    }

    private void block(List<RunbookStep> steps, int depth) {
        steps.forEach(step -> step(step, depth));
    }

    private void step(RunbookStep step, int depth) {
        if (step instanceof RunbookStep.Action action) {
            did(step, depth, action.kind(), () -> executor.tried(action));
        } else if (step instanceof RunbookStep.Retry retry) {
            did(step, depth, "retry", () -> executor.retry(retry));
        } else if (step instanceof RunbookStep.If branch) {
            StepResult result = did(step, depth, "if", () -> executor.decided(branch.condition()));
            block(result.state() == State.YES ? branch.then() : branch.otherwise(), depth + 1);
        } else if (step instanceof RunbookStep.For loop) {
            loop(loop, depth);
        } else if (step instanceof RunbookStep.Include include) {
            did(step, depth, "include", () -> StepResult.passed(""));
            values.defaults(include.header());
            file(include.inner(), depth + 1);
        } else if (step instanceof RunbookStep.Confirm confirm) {
            did(step, depth, "confirm", () -> executor.confirmed(confirm));
        } else {
            did(step, depth, "echo", () -> executor.echoed((RunbookStep.Echo) step));
        }
    }

    /** Does it and reports it; throws {@link RunAbortedException} if it failed. */
    private StepResult did(RunbookStep step, int depth, String kind, Supplier<StepResult> action) {
        steps++;
        if (steps > RunbookLimits.STEPS) {
            throw new RunAbortedException(
                    step, StepFailure.of(ExitStatus.USAGE, "the run has more than " + RunbookLimits.STEPS + " steps"));
        }
        Planned planned = step.planned(depth, values);
        report.starts(depth, planned.text());
        Instant began = commands.now();
        long start = commands.nanos();
        StepResult result;
        try {
            result = action.get();
        } catch (ShellException e) {
            result = StepResult.failed(e);
        }
        changed += step.changes() ? 1 : 0;
        StepResult shown = result.redacted(values::redact);
        report.ended(new StepRecord(planned, kind, began, Duration.ofNanos(commands.nanos() - start), shown));
        shown.failure().ifPresent(why -> {
            throw new RunAbortedException(step, why);
        });
        return shown;
    }

    private void loop(RunbookStep.For loop, int depth) {
        List<VariableValue> items = new ArrayList<>();
        did(loop, depth, "for", () -> executor.items(loop, items));
        for (VariableValue item : items) {
            try {
                values.keep(loop.name(), item);
            } catch (ShellException e) {
                throw new RunAbortedException(loop, StepFailure.of(e.exit(), e.sentence()));
            }
            block(loop.inner(), depth + 1);
        }
    }

    /** Ends a run at a step that failed. */
    private static final class RunAbortedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient RunResult.Stopped where;
        /** Where what was to be done about it failed, too. */
        private transient Optional<RunResult.Stopped> alsoFailed = Optional.empty();

        RunAbortedException(RunbookStep step, StepFailure failure) {
            super(failure.why(), null, false, false);
            this.where = new RunResult.Stopped(step.line().start(), failure);
        }
    }
}
