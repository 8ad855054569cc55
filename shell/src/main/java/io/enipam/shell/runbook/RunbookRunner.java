package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.Origin;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import io.enipam.shell.runbook.Commands.Outcome;
import io.enipam.shell.runbook.Ran.State;
import io.enipam.shell.runbook.Word.Within;
import io.enipam.shell.text.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs a runbook step by step up to the first that does not hold; then does what {@code on-error} says, from the innermost
 * file outwards, each once. Whoever interrupts it, or says no to a question, wants it to end at once: then nothing more is
 * done, {@code on-error} neither. One object runs one runbook, once.
 */
public final class RunbookRunner {
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final Commands commands;
    private final Pace pace;
    private final Report report;
    private final Map<String, Value> values = new HashMap<>();
    private final Judge judge;
    private Shown shown = new Shown();
    private long steps;
    private long changed;

    /** What came of a step, or of a try of it. */
    private record Result(State state, String output, Optional<Failure> failure, int tries) {
        static Result passed(String output) {
            return new Result(State.PASSED, output, Optional.empty(), 1);
        }

        static Result failed(String output, Failure failure) {
            return new Result(State.FAILED, output, Optional.of(failure), 1);
        }
    }

    public RunbookRunner(Commands commands, Pace pace, Report report) {
        this.commands = commands;
        this.pace = pace;
        this.report = report;
        this.judge = new Judge(commands, this::value);
    }

    private Value value(String name) {
        return values.getOrDefault(name, Value.text(""));
    }

    /** Runs all of it, and says what came of it. */
    public Verdict run(Runbook runbook) {
        long start = pace.nanos();
        values.putAll(runbook.values());
        shown = Shown.of(runbook.header(), values);
        Map<String, String> told = new TreeMap<>();
        values.forEach(
                (name, value) -> told.put(name, shown.isSecret(name) ? Shown.STARS : shown.hiding(value.text())));
        report.begins(runbook, told);
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
        shown.is(Names.FAILURE, value(Names.FAILURE));
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
            did(step, depth, kind(action), () -> tried(action));
        } else if (step instanceof Step.Retry retry) {
            did(step, depth, "retry", () -> again(retry));
        } else if (step instanceof Step.If branch) {
            Ran ran = did(step, depth, "if", () -> decided(branch.condition()));
            block(ran.state() == State.YES ? branch.then() : branch.otherwise(), depth + 1);
        } else if (step instanceof Step.For loop) {
            loop(loop, depth);
        } else if (step instanceof Step.Include include) {
            did(step, depth, "include", () -> Result.passed(""));
            defaults(include.header());
            file(include.body(), depth + 1);
        } else if (step instanceof Step.Confirm confirm) {
            did(step, depth, "confirm", () -> confirmed(confirm));
        } else {
            did(step, depth, "echo", () -> Result.passed(echoed((Step.Echo) step) + "\n"));
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
        String text = shown.in(step.written().text());
        report.starts(depth, text);
        Instant began = pace.now();
        long start = pace.nanos();
        Result result;
        try {
            result = deed.get();
        } catch (ShellException e) {
            result = Result.failed("", Failure.of(e.exit(), e.sentence()));
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
                shown.hiding(result.output()),
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
                shown.hiding(failure.why()),
                shown.hiding(failure.expected()),
                shown.hiding(failure.seen()));
    }

    private Result tried(Step.Action action) {
        if (action instanceof Step.Run run) {
            Outcome outcome = judge.run(run.pipe(), false);
            return outcome.done()
                    ? Result.passed(outcome.output())
                    : Result.failed(outcome.output(), Judge.failed(judge.call(run.pipe()), outcome));
        } else if (action instanceof Step.Try attempt) {
            Outcome outcome = judge.run(attempt.pipe(), false);
            // the daemon may say no, but what was to be written has to be written
            boolean answered = outcome.done()
                    || (outcome.status() == Exit.REFUSED.status()
                            && outcome.origin().filter(Origin.HERE::equals).isEmpty());
            return answered
                    ? Result.passed(told(outcome))
                    : Result.failed(outcome.output(), Judge.failed(judge.call(attempt.pipe()), outcome));
        } else if (action instanceof Step.Refused refused) {
            return refused(refused);
        } else if (action instanceof Step.Expect expect) {
            Judge.Tested tested = judge.test(expect.condition());
            Optional<Failure> failure = tested.broken()
                    .or(() -> tested.holds()
                            ? Optional.empty()
                            : Optional.of(Failure.unexpected(tested.expected(), tested.seen())));
            return new Result(failure.isEmpty() ? State.PASSED : State.FAILED, tested.output(), failure, 1);
        }
        return assigned((Step.Assign) action);
    }

    private Result refused(Step.Refused step) {
        Outcome outcome = judge.run(step.pipe(), false);
        String call = judge.call(step.pipe());
        if (outcome.refused()) {
            // the refusal that a step wanted is part of what it shows; one that nobody wanted is the error of the run
            return Result.passed(told(outcome));
        }
        return Result.failed(
                outcome.output(),
                outcome.done()
                        ? Failure.unexpected("'" + call + "' to fail", "it did not")
                        : Judge.failed(call, outcome));
    }

    private static String told(Outcome outcome) {
        return outcome.output() + (outcome.error().isEmpty() ? "" : "enipam: " + outcome.error() + "\n");
    }

    private Result assigned(Step.Assign step) {
        Outcome outcome = judge.run(step.pipe(), true);
        String call = judge.call(step.pipe());
        Optional<Failure> broken = Judge.broken(call, outcome);
        if (broken.isPresent()) {
            return Result.failed(outcome.output(), broken.get());
        }
        List<Value> results = Judge.results(step.pipe(), outcome.output());
        if (results.size() != 1 || results.get(0).text().equals("null")) {
            return Result.failed(
                    outcome.output(),
                    Failure.unexpected(
                            "one value for '" + step.name() + "' from '" + call + "'",
                            results.size() > 1
                                    ? "saw " + results.size() + " values"
                                    : results.isEmpty() ? "saw nothing" : "saw null"));
        }
        return kept(step.name(), results.get(0))
                .map(failure -> Result.failed("", failure))
                .orElseGet(() -> Result.passed(
                        step.name() + " = " + Judge.shown(value(step.name()).text()) + "\n"));
    }

    private Optional<Failure> kept(String name, Value value) {
        if (value.text().length() > Limits.VALUE) {
            return Optional.of(Failure.of(
                    Exit.USAGE, "the value of '" + name + "' has more than " + Limits.VALUE + " characters"));
        }
        values.put(name, value);
        shown.is(name, value);
        return Optional.empty();
    }

    private Result decided(Condition condition) {
        Judge.Tested tested = judge.test(condition);
        return tested.broken()
                .map(failure -> Result.failed(tested.output(), failure))
                .orElseGet(() -> new Result(tested.holds() ? State.YES : State.NO, "", Optional.empty(), 1));
    }

    private void loop(Step.For loop, int depth) {
        java.util.List<Value> items = new java.util.ArrayList<>();
        did(loop, depth, "for", () -> {
            Result result = items(loop, items);
            return result.failure().isEmpty() && items.size() > Limits.ITEMS
                    ? Result.failed(
                            "",
                            Failure.of(
                                    Exit.USAGE,
                                    "there are " + items.size() + " items, and " + Limits.ITEMS + " at most"))
                    : result;
        });
        for (Value item : items) {
            kept(loop.name(), item).ifPresent(failure -> {
                throw new Stop(loop.written().place(), failure);
            });
            block(loop.body(), depth + 1);
        }
    }

    private Result items(Step.For loop, List<Value> into) {
        if (loop.pipe().isEmpty()) {
            loop.list().forEach(word -> into.add(Value.text(word.with(this::value, Within.COMMAND))));
        } else {
            Pipe pipe = loop.pipe().get();
            Outcome outcome = judge.run(pipe, true);
            Optional<Failure> broken = Judge.broken(judge.call(pipe), outcome);
            if (broken.isPresent()) {
                return Result.failed(outcome.output(), broken.get());
            }
            List<Value> results = Judge.results(pipe, outcome.output());
            if (results.stream().anyMatch(value -> value.text().equals("null"))) {
                return Result.failed(
                        outcome.output(),
                        Failure.unexpected(
                                "values for '" + loop.name() + "' from '" + judge.call(pipe) + "'", "saw null"));
            }
            into.addAll(results);
        }
        return Result.passed(into.size() + (into.size() == 1 ? " item\n" : " items\n"));
    }

    private void defaults(Header header) {
        shown.declared(header);
        for (Parameter parameter : header.parameters()) {
            if (!values.containsKey(parameter.name())) {
                Value value = parameter.type().value(parameter.fallback().orElse(""));
                values.put(parameter.name(), value);
            }
            shown.is(parameter.name(), value(parameter.name()));
        }
    }

    private Result confirmed(Step.Confirm confirm) {
        String question = shown.hiding(confirm.question().with(this::value, Within.COMMAND));
        return commands.agreed(question)
                ? Result.passed("")
                : Result.failed("", Failure.of(Exit.INTERRUPTED, "not confirmed"));
    }

    private String echoed(Step.Echo echo) {
        return Palette.clean(echo.words().stream()
                .map(word -> word.with(this::value, Within.COMMAND))
                .collect(Collectors.joining(" ")));
    }

    /** Tries at least once, and for the last time when the time is over. */
    private Result again(Step.Retry retry) {
        Duration within = Spans.parse(retry.within().with(this::value, Within.COMMAND));
        long end = pace.nanos() + within.toNanos();
        Result result = once(retry.action());
        int tries = 1;
        long left = end - pace.nanos();
        while (result.failure().filter(RunbookRunner::mayPass).isPresent() && left > 0) {
            if (!pace.pause(Duration.ofNanos(Math.min(left, BETWEEN_TRIES.toNanos())))) {
                return Result.failed(result.output(), Failure.of(Exit.INTERRUPTED, "interrupted"));
            }
            result = once(retry.action());
            tries++;
            left = end - pace.nanos();
        }
        String count = "; the last of " + tries + (tries == 1 ? " try" : " tries");
        return new Result(result.state(), result.output(), result.failure().map(failure -> failure.with(count)), tries);
    }

    private Result once(Step.Action action) {
        try {
            return tried(action);
        } catch (ShellException e) {
            return Result.failed("", Failure.of(e.exit(), e.sentence()));
        }
    }

    /** Whether waiting may help: not if somebody wants the run to end, and not if the command is none. */
    private static boolean mayPass(Failure failure) {
        return failure.exit() != Exit.INTERRUPTED && failure.exit() != Exit.USAGE;
    }
}
