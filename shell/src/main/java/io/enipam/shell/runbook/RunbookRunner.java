package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.CommandExecutor.RunClock;
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
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a runbook step by step up to the first that does not hold, then on-error from the innermost file outwards, each
 * once; not after an interrupt or a no to a question. One object runs one runbook, once.
 */
public final class RunbookRunner {
    private final RunClock pace;
    private final RunReport report;
    private final Variables values = new Variables();
    private final StepExecutor executor;
    private long steps;
    private long changed;

    public RunbookRunner(CommandExecutor commands, RunClock pace, RunReport report) {
        this.pace = pace;
        this.report = report;
        this.executor = new StepExecutor(commands, pace, values);
    }

    /** Runs all of it, and says what came of it. */
    public RunResult run(Runbook runbook) {
        long start = pace.nanos();
        values.with(runbook.header(), runbook.values());
        report.begins(runbook, values.shown());
        @Nullable RunAbortedException stop = null;
        try {
            file(runbook.steps(), 0);
        } catch (RunAbortedException e) {
            stop = e;
        }
        RunResult verdict = new RunResult(
                steps,
                changed,
                Duration.ofNanos(pace.nanos() - start),
                Optional.ofNullable(stop).map(RunAbortedException::where),
                Optional.ofNullable(stop).map(RunAbortedException::alsoFailed));
        report.ended(verdict);
        return verdict;
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
                if (guard != null && stop.where().failure().exit() != ExitStatus.INTERRUPTED) {
                    afterwards(guard, stop, depth);
                }
                throw stop;
            }
        }
    }

    private void afterwards(RunbookStep.OnError guard, RunAbortedException stop, int depth) {
        values.put(VariableScope.FAILURE, VariableValue.text(stop.where().toString()));
        try {
            did(guard, depth, "on-error", () -> StepResult.passed(""));
            block(guard.inner(), depth + 1);
        } catch (RunAbortedException second) {
            stop.also(second.where());
        }
    }

    private void block(List<RunbookStep> steps, int depth) {
        for (RunbookStep step : steps) {
            step(step, depth);
        }
    }

    private void step(RunbookStep step, int depth) {
        if (step instanceof RunbookStep.Action action) {
            did(step, depth, kind(action), () -> executor.tried(action));
        } else if (step instanceof RunbookStep.Retry retry) {
            did(step, depth, "retry", () -> executor.retry(retry));
        } else if (step instanceof RunbookStep.If branch) {
            StepRecord ran = did(step, depth, "if", () -> executor.decided(branch.condition()));
            block(ran.result().state() == State.YES ? branch.then() : branch.otherwise(), depth + 1);
        } else if (step instanceof RunbookStep.For loop) {
            loop(loop, depth);
        } else if (step instanceof RunbookStep.Include include) {
            did(step, depth, "include", () -> StepResult.passed(""));
            values.defaults(include.header());
            file(include.inner(), depth + 1);
        } else if (step instanceof RunbookStep.Confirm confirm) {
            did(step, depth, "confirm", () -> executor.confirmed(confirm));
        } else {
            did(step, depth, "echo", () -> StepResult.passed(executor.echoed((RunbookStep.Echo) step) + "\n"));
        }
    }

    private static String kind(RunbookStep.Action action) {
        return action instanceof RunbookStep.Run run
                ? run.wanted().name().toLowerCase(Locale.ROOT)
                : action instanceof RunbookStep.Expect ? "expect" : "set";
    }

    /** Does it and reports it; throws {@link RunAbortedException} if it failed. */
    private StepRecord did(RunbookStep step, int depth, String kind, Supplier<StepResult> deed) {
        steps++;
        SourcePosition place = step.written().place();
        if (steps > RunbookLimits.STEPS) {
            throw new RunAbortedException(
                    place, StepFailure.of(ExitStatus.USAGE, "the run has more than " + RunbookLimits.STEPS + " steps"));
        }
        Planned planned = new Planned(
                place, depth, step.changes(), values.in(step.written().text()));
        report.starts(depth, planned.text());
        Instant began = pace.now();
        long start = pace.nanos();
        StepResult result;
        try {
            result = deed.get();
        } catch (ShellException e) {
            result = StepResult.failed(e);
        }
        changed += step.changes() ? 1 : 0;
        Optional<StepFailure> failure = result.failure().map(this::hidden);
        StepRecord ran = new StepRecord(
                planned,
                kind,
                began,
                Duration.ofNanos(pace.nanos() - start),
                new StepResult(result.state(), values.redact(result.output()), failure, result.tries()));
        report.ended(ran);
        failure.ifPresent(why -> {
            throw new RunAbortedException(place, why);
        });
        return ran;
    }

    private StepFailure hidden(StepFailure failure) {
        return new StepFailure(
                failure.exit(),
                values.redact(failure.why()),
                values.redact(failure.expected()),
                values.redact(failure.seen()));
    }

    private void loop(RunbookStep.For loop, int depth) {
        List<VariableValue> items = new ArrayList<>();
        did(loop, depth, "for", () -> {
            StepResult result = executor.items(loop, items);
            return result.failure().isEmpty() && items.size() > RunbookLimits.ITEMS
                    ? StepResult.failed(
                            "",
                            StepFailure.of(
                                    ExitStatus.USAGE,
                                    "there are " + items.size() + " items, and " + RunbookLimits.ITEMS + " at most"))
                    : result;
        });
        for (VariableValue item : items) {
            values.keep(loop.name(), item).ifPresent(failure -> {
                throw new RunAbortedException(loop.written().place(), failure);
            });
            block(loop.inner(), depth + 1);
        }
    }

    /** Ends a run at a step that failed. */
    private static final class RunAbortedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient RunResult.Stopped where;
        private transient RunResult.@Nullable Stopped alsoFailed;

        RunAbortedException(SourcePosition place, StepFailure failure) {
            super(failure.why(), null, false, false);
            this.where = new RunResult.Stopped(place, failure);
        }

        RunResult.Stopped where() {
            return where;
        }

        RunResult.@Nullable Stopped alsoFailed() {
            return alsoFailed;
        }

        /** Something that was to be done about it failed, too; the first such failure stays. */
        void also(RunResult.Stopped other) {
            if (alsoFailed == null) {
                alsoFailed = other;
            }
        }
    }
}
