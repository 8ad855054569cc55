package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Ran.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a runbook step by step up to the first that does not hold; then does what {@code on-error} says, from the innermost
 * file outwards, each once. Whoever interrupts it, or says no to a question, wants it to end at once: then nothing more is
 * done, {@code on-error} neither. One object runs one runbook, once.
 */
public final class RunbookRunner {
    private final Pace pace;
    private final Report report;
    private final Values values = new Values();
    private final Deeds deeds;
    private long steps;
    private long changed;

    public RunbookRunner(Commands commands, Pace pace, Report report) {
        this.pace = pace;
        this.report = report;
        this.deeds = new Deeds(commands, pace, values);
    }

    /** Runs all of it, and says what came of it. */
    public Verdict run(Runbook runbook) {
        long start = pace.nanos();
        values.begin(runbook);
        report.begins(runbook, values.told());
        @Nullable Stop stop = null;
        try {
            file(runbook.steps(), 0);
        } catch (Stop e) {
            stop = e;
        }
        Verdict verdict = new Verdict(
                steps,
                changed,
                Duration.ofNanos(pace.nanos() - start),
                Optional.ofNullable(stop).map(Stop::where),
                Optional.ofNullable(stop).map(Stop::alsoFailed));
        report.ended(verdict);
        return verdict;
    }

    private void file(List<Step> file, int depth) {
        Step.@Nullable OnError guard = null;
        for (Step step : file) {
            if (step instanceof Step.OnError onError) {
                guard = onError;
                continue;
            }
            try {
                step(step, depth);
            } catch (Stop stop) {
                if (guard != null && stop.where().failure().exit() != Exit.INTERRUPTED) {
                    afterwards(guard, stop, depth);
                }
                throw stop;
            }
        }
    }

    private void afterwards(Step.OnError guard, Stop stop, int depth) {
        values.put(Names.FAILURE, Value.text(stop.where().toString()));
        try {
            did(guard, depth, "on-error", () -> Result.passed(""));
            block(guard.body(), depth + 1);
        } catch (Stop second) {
            stop.also(second.where());
        }
    }

    private void block(List<Step> steps, int depth) {
        for (Step step : steps) {
            step(step, depth);
        }
    }

    private void step(Step step, int depth) {
        if (step instanceof Step.Action action) {
            did(step, depth, kind(action), () -> deeds.tried(action));
        } else if (step instanceof Step.Retry retry) {
            did(step, depth, "retry", () -> deeds.again(retry));
        } else if (step instanceof Step.If branch) {
            Ran ran = did(step, depth, "if", () -> deeds.decided(branch.condition()));
            block(ran.state() == State.YES ? branch.then() : branch.otherwise(), depth + 1);
        } else if (step instanceof Step.For loop) {
            loop(loop, depth);
        } else if (step instanceof Step.Include include) {
            did(step, depth, "include", () -> Result.passed(""));
            values.defaults(include.header());
            file(include.body(), depth + 1);
        } else if (step instanceof Step.Confirm confirm) {
            did(step, depth, "confirm", () -> deeds.confirmed(confirm));
        } else {
            did(step, depth, "echo", () -> Result.passed(deeds.echoed((Step.Echo) step) + "\n"));
        }
    }

    private static String kind(Step.Action action) {
        return action instanceof Step.Expect
                ? "expect"
                : action instanceof Step.Assign
                        ? "set"
                        : action instanceof Step.Refused ? "refused" : action instanceof Step.Try ? "try" : "run";
    }

    /** Does it and reports it; throws {@link Stop} if it failed. */
    private Ran did(Step step, int depth, String kind, Supplier<Result> deed) {
        steps++;
        Place place = step.written().place();
        if (steps > Limits.STEPS) {
            throw new Stop(place, Failure.of(Exit.USAGE, "the run has more than " + Limits.STEPS + " steps"));
        }
        String text = values.in(step.written().text());
        report.starts(depth, text);
        Instant began = pace.now();
        long start = pace.nanos();
        Result result;
        try {
            result = deed.get();
        } catch (ShellException e) {
            result = Result.failed(e);
        }
        changed += step.changes() ? 1 : 0;
        Optional<Failure> failure = result.failure().map(this::hidden);
        Ran ran = new Ran(
                place,
                depth,
                kind,
                text,
                step.changes(),
                result.state(),
                result.tries(),
                began,
                Duration.ofNanos(pace.nanos() - start),
                values.hiding(result.output()),
                failure);
        report.ended(ran);
        failure.ifPresent(why -> {
            throw new Stop(place, why);
        });
        return ran;
    }

    private Failure hidden(Failure failure) {
        return new Failure(
                failure.exit(),
                values.hiding(failure.why()),
                values.hiding(failure.expected()),
                values.hiding(failure.seen()));
    }

    private void loop(Step.For loop, int depth) {
        List<Value> items = new ArrayList<>();
        did(loop, depth, "for", () -> {
            Result result = deeds.items(loop, items);
            return result.failure().isEmpty() && items.size() > Limits.ITEMS
                    ? Result.failed(
                            "",
                            Failure.of(
                                    Exit.USAGE,
                                    "there are " + items.size() + " items, and " + Limits.ITEMS + " at most"))
                    : result;
        });
        for (Value item : items) {
            values.keep(loop.name(), item).ifPresent(failure -> {
                throw new Stop(loop.written().place(), failure);
            });
            block(loop.body(), depth + 1);
        }
    }
}
