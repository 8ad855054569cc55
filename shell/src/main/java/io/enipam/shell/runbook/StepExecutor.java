package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.runbook.CommandExecutor.Outcome;
import io.enipam.shell.runbook.RunResult.ActualValue;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.RunbookStep.Wanted;
import io.enipam.shell.runbook.StepRecord.State;
import io.enipam.shell.runbook.StepRecord.StepResult;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import io.enipam.shell.runbook.WordTemplate.Within;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Does what one step says, and knows whether that is what it should come to; a usage error fails the step. */
final class StepExecutor {
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);

    private final CommandExecutor commands;
    private final Variables values;
    private final ConditionEvaluator conditions;

    StepExecutor(CommandExecutor commands, Variables values) {
        this.commands = commands;
        this.values = values;
        this.conditions = new ConditionEvaluator(commands, values::get);
    }

    StepResult tried(RunbookStep.Action action) {
        if (action instanceof RunbookStep.Run run) {
            return ran(run);
        } else if (action instanceof RunbookStep.Expect expect) {
            ConditionEvaluator.Tested tested = conditions.test(expect.condition());
            return tested.broken().isEmpty() && tested.holds()
                    ? StepResult.passed(tested.output())
                    : StepResult.failed(tested.output(), tested.broken().orElseGet(tested::unexpected));
        }
        return assigned((RunbookStep.Assign) action);
    }

    private StepResult ran(RunbookStep.Run step) {
        Outcome outcome = conditions.run(step.command(), false);
        String call = step.command().call(values::get);
        boolean passed = switch (step.wanted()) {
            case RUN -> outcome.done();
            case REFUSED -> outcome.refused();
            case TRY -> outcome.tried();
        };
        if (passed) {
            // the refusal that a step wanted is part of what it shows; one that it did not want is the error of the run
            boolean silent = step.wanted() == Wanted.RUN || outcome.error().isEmpty();
            return StepResult.passed(outcome.output() + (silent ? "" : "enipam: " + outcome.error() + "\n"));
        }
        StepFailure failure = step.wanted() == Wanted.REFUSED && outcome.done()
                ? StepFailure.unexpected("'" + call + "' to fail", ActualValue.told("it did not"))
                : ConditionEvaluator.failed(call, outcome);
        return StepResult.failed(outcome.output(), failure);
    }

    private StepResult assigned(RunbookStep.Assign step) {
        Outcome outcome = conditions.run(step.command(), true);
        String call = step.command().call(values::get);
        Optional<StepFailure> broken = ConditionEvaluator.broken(call, outcome);
        if (broken.isPresent()) {
            return StepResult.failed(outcome.output(), broken.get());
        }
        List<VariableValue> results = ConditionEvaluator.results(step.command(), outcome.output());
        String name = step.name();
        if (results.size() != 1 || results.get(0).isNull()) {
            ActualValue seen = results.size() > 1
                    ? ActualValue.saw(results.size() + " values")
                    : results.isEmpty() ? ActualValue.NOTHING : ActualValue.NULL;
            String expected = "one value for '" + name + "' from '" + call + "'";
            return StepResult.failed(outcome.output(), StepFailure.unexpected(expected, seen));
        }
        values.keep(name, results.get(0));
        return StepResult.passed(
                name + " = " + ConditionEvaluator.shown(values.get(name).text()) + "\n");
    }

    StepResult decided(Condition condition) {
        ConditionEvaluator.Tested tested = conditions.test(condition);
        return tested.broken()
                .map(failure -> StepResult.failed(tested.output(), failure))
                .orElseGet(() -> new StepResult(tested.holds() ? State.YES : State.NO, "", Optional.empty(), 1));
    }

    /** What a loop goes over; filled in if there is an answer. */
    StepResult items(RunbookStep.For loop, List<VariableValue> into) {
        loop.list().forEach(word -> into.add(VariableValue.text(word.with(values::get, Within.COMMAND))));
        if (loop.pipe().isPresent()) {
            PipelineTemplate pipe = loop.pipe().get();
            Outcome outcome = conditions.run(pipe, true);
            String call = pipe.call(values::get);
            Optional<StepFailure> broken = ConditionEvaluator.broken(call, outcome);
            if (broken.isPresent()) {
                return StepResult.failed(outcome.output(), broken.get());
            }
            into.addAll(ConditionEvaluator.results(pipe, outcome.output()));
            if (into.stream().anyMatch(VariableValue::isNull)) {
                into.clear();
                String expected = "values for '" + loop.name() + "' from '" + call + "'";
                return StepResult.failed(outcome.output(), StepFailure.unexpected(expected, ActualValue.NULL));
            }
        }
        if (into.size() > RunbookLimits.ITEMS) {
            throw ShellException.usage(
                    "there are " + into.size() + " items, and " + RunbookLimits.ITEMS + " at most", "");
        }
        return StepResult.passed(Table.counted(into.size(), "item") + "\n");
    }

    StepResult confirmed(RunbookStep.Confirm confirm) {
        String question = values.redact(confirm.question().with(values::get, Within.COMMAND));
        return commands.agreed(question)
                ? StepResult.passed("")
                : StepResult.failed("", StepFailure.of(ExitStatus.INTERRUPTED, "not confirmed"));
    }

    StepResult echoed(RunbookStep.Echo echo) {
        return StepResult.passed(Palette.clean(WordTemplate.joined(echo.words(), values::get)) + "\n");
    }

    /** Tries at least once, and for the last time when the time is over. */
    StepResult retry(RunbookStep.Retry retry) {
        Duration within = DurationParser.parse(retry.within().with(values::get, Within.COMMAND));
        long end = commands.nanos() + within.toNanos();
        StepResult result = once(retry.action());
        int tries = 1;
        long left = end - commands.nanos();
        while (result.failure().filter(StepExecutor::mayPass).isPresent() && left > 0) {
            if (!commands.pause(Duration.ofNanos(Math.min(left, BETWEEN_TRIES.toNanos())))) {
                return StepResult.failed(result.output(), StepFailure.of(ExitStatus.INTERRUPTED, "interrupted"));
            }
            result = once(retry.action());
            tries++;
            left = end - commands.nanos();
        }
        String count = "; the last of " + tries + (tries == 1 ? " try" : " tries");
        return new StepResult(
                result.state(), result.output(), result.failure().map(failure -> failure.with(count)), tries);
    }

    private StepResult once(RunbookStep.Action action) {
        try {
            return tried(action);
        } catch (ShellException e) {
            return StepResult.failed(e);
        }
    }

    /** Whether waiting may help: not if the run was interrupted, and not if the command is none. */
    private static boolean mayPass(StepFailure failure) {
        return failure.exit() != ExitStatus.INTERRUPTED && failure.exit() != ExitStatus.USAGE;
    }
}
