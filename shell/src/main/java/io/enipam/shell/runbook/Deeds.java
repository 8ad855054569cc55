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
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Does what one step says, and knows whether that is what it should come to. Which step is next is {@link RunbookRunner}'s. */
final class Deeds {
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final Commands commands;
    private final Pace pace;
    private final Values values;
    private final Judge judge;

    Deeds(Commands commands, Pace pace, Values values) {
        this.commands = commands;
        this.pace = pace;
        this.values = values;
        this.judge = new Judge(commands, values::get);
    }

    Result tried(Step.Action action) {
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
                        ? Failure.unexpected("'" + call + "' to fail", Seen.told("it did not"))
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
                                    ? Seen.saw(results.size() + " values")
                                    : results.isEmpty() ? Seen.NOTHING : Seen.NULL));
        }
        return values.keep(step.name(), results.get(0))
                .map(failure -> Result.failed("", failure))
                .orElseGet(() -> Result.passed(step.name() + " = "
                        + Judge.shown(values.get(step.name()).text()) + "\n"));
    }

    /** Whether a condition holds. */
    Result decided(Condition condition) {
        Judge.Tested tested = judge.test(condition);
        return tested.broken()
                .map(failure -> Result.failed(tested.output(), failure))
                .orElseGet(() -> new Result(tested.holds() ? State.YES : State.NO, "", Optional.empty(), 1));
    }

    /** What a loop goes over; filled in if there is an answer. */
    Result items(Step.For loop, List<Value> into) {
        if (loop.pipe().isEmpty()) {
            loop.list().forEach(word -> into.add(Value.text(word.with(values::get, Within.COMMAND))));
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
                                "values for '" + loop.name() + "' from '" + judge.call(pipe) + "'", Seen.NULL));
            }
            into.addAll(results);
        }
        return Result.passed(into.size() + (into.size() == 1 ? " item\n" : " items\n"));
    }

    Result confirmed(Step.Confirm confirm) {
        String question = values.hiding(confirm.question().with(values::get, Within.COMMAND));
        return commands.agreed(question)
                ? Result.passed("")
                : Result.failed("", Failure.of(Exit.INTERRUPTED, "not confirmed"));
    }

    String echoed(Step.Echo echo) {
        return Palette.clean(echo.words().stream()
                .map(word -> word.with(values::get, Within.COMMAND))
                .collect(Collectors.joining(" ")));
    }

    /** Tries at least once, and for the last time when the time is over. */
    Result again(Step.Retry retry) {
        Duration within = Spans.parse(retry.within().with(values::get, Within.COMMAND));
        long end = pace.nanos() + within.toNanos();
        Result result = once(retry.action());
        int tries = 1;
        long left = end - pace.nanos();
        while (result.failure().filter(Deeds::mayPass).isPresent() && left > 0) {
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
            return Result.failed(e);
        }
    }

    /** Whether waiting may help: not if somebody wants the run to end, and not if the command is none. */
    private static boolean mayPass(Failure failure) {
        return failure.exit() != Exit.INTERRUPTED && failure.exit() != Exit.USAGE;
    }
}
