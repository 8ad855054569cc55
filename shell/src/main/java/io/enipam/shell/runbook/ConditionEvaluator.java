package io.enipam.shell.runbook;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.pipe.Filter;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.pipe.PipelineExecution;
import io.enipam.shell.runbook.CommandExecutor.Outcome;
import io.enipam.shell.runbook.Condition.ComparisonOperator;
import io.enipam.shell.runbook.RunResult.ActualValue;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import io.enipam.shell.runbook.WordTemplate.Within;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Runs the commands of conditions and holds what comes of them against what is expected. */
record ConditionEvaluator(CommandExecutor commands, Function<String, VariableValue> values) {
    private static final int LINES_SHOWN = 5;
    private static final int WIDTH_SHOWN = 100;

    /**
     * A condition that was tested: what would make it true, what there was instead, and why there is no answer, if so.
     */
    record Tested(boolean holds, String expected, ActualValue seen, String output, Optional<StepFailure> broken) {
        private Tested negated() {
            return new Tested(!holds, "otherwise than " + expected, seen, output, broken);
        }
    }

    /** Runs a command with its filters. */
    Outcome run(PipelineTemplate pipe, boolean perLine) {
        return run(pipe, pipe.with(values, perLine));
    }

    private Outcome run(PipelineTemplate pipe, Pipeline pipeline) {
        boolean valued = pipe.command().stream().anyMatch(word -> !word.refs().isEmpty());
        if (valued && !pipe.changes() && commands.known(pipeline.command()).changes()) {
            throw ShellException.usage(
                    "with this value the command changes something, which the plan does not say", "");
        }
        return commands.run(pipeline);
    }

    /** Why there is no answer to evaluate. A check with findings is an answer, and so is a filter without matches. */
    static Optional<StepFailure> broken(String call, Outcome outcome) {
        return outcome.whole() ? Optional.empty() : Optional.of(failed(call, outcome));
    }

    /** A command's own failure. */
    static StepFailure failed(String call, Outcome outcome) {
        if (outcome.status() == ExitStatus.INTERRUPTED.status()
                && outcome.error().isEmpty()) {
            return StepFailure.of(ExitStatus.INTERRUPTED, "interrupted");
        }
        return StepFailure.of(
                ExitStatus.of(outcome.status()),
                outcome.error().isEmpty() ? "'" + call + "' ended with status " + outcome.status() : outcome.error());
    }

    Tested test(Condition condition) {
        if (condition instanceof Condition.Not not) {
            return not.condition() instanceof Condition.Printed printed
                    ? printed(printed, false)
                    : test(not.condition()).negated();
        } else if (condition instanceof Condition.Compared compared) {
            return compared(compared.pipe(), compared.sign(), compared.value().with(values, Within.COMMAND));
        } else if (condition instanceof Condition.True yes) {
            return compared(yes.pipe(), ComparisonOperator.EQUAL, "true");
        } else if (condition instanceof Condition.Printed printed) {
            return printed(printed, true);
        } else if (condition instanceof Condition.Values pair) {
            return pair(pair);
        }
        return done(((Condition.Done) condition).pipe());
    }

    private Tested pair(Condition.Values pair) {
        String left = pair.left().with(values, Within.COMMAND);
        String right = pair.right().with(values, Within.COMMAND);
        boolean holds = pair.sign().test(left, right);
        return new Tested(
                holds,
                "'" + left + "' " + pair.sign() + " '" + right + "'",
                ActualValue.told("it is not"),
                "",
                Optional.empty());
    }

    private Tested done(PipelineTemplate pipe) {
        Outcome outcome = run(pipe, false);
        Optional<StepFailure> broken =
                outcome.done() || outcome.refused() ? Optional.empty() : Optional.of(failed(call(pipe), outcome));
        return new Tested(
                outcome.done(),
                "'" + call(pipe) + "' to succeed",
                ActualValue.told(outcome.error()),
                outcome.output(),
                broken);
    }

    private Tested compared(PipelineTemplate pipe, ComparisonOperator sign, String wanted) {
        Outcome outcome = run(pipe, true);
        String expected = "'" + call(pipe) + "' " + sign + " " + shown(wanted);
        Optional<StepFailure> broken = broken(call(pipe), outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, ActualValue.told(""), outcome.output(), broken);
        }
        List<VariableValue> results = results(pipe, outcome.output());
        if (results.size() != 1) {
            ActualValue seen = results.isEmpty()
                    ? ActualValue.NOTHING
                    : ActualValue.saw(results.size() + " values: " + some(results));
            // one value is what a comparison is about, so neither it nor its opposite holds of none or of many
            return new Tested(
                    false,
                    expected,
                    seen,
                    outcome.output(),
                    Optional.of(StepFailure.unexpected("one value: " + expected, seen)));
        }
        String seen = results.get(0).text();
        return new Tested(
                sign.test(seen, wanted), expected, ActualValue.saw(shown(seen)), outcome.output(), Optional.empty());
    }

    private static String some(List<VariableValue> results) {
        return results.stream()
                .limit(LINES_SHOWN)
                .map(value -> shown(value.text()))
                .collect(Collectors.joining(", "));
    }

    /** What the last filter left: of jq each result, of the others each line. */
    static List<VariableValue> results(PipelineTemplate pipe, String output) {
        boolean json = pipe.last().equals("jq")
                && pipe.filters().get(pipe.filters().size() - 1).stream()
                        .noneMatch(word -> word.source().matches("--raw-output|-[a-z]*r[a-z]*"));
        List<VariableValue> values = new ArrayList<>();
        for (String line : Palette.plain(output).lines().toList()) {
            values.add(json ? result(line) : VariableValue.text(line));
        }
        return values;
    }

    private static VariableValue result(String line) {
        try {
            JsonElement element = JsonParser.parseString(line);
            return element.isJsonPrimitive()
                    ? new VariableValue(
                            element.getAsString(), element.getAsJsonPrimitive().isNumber())
                    : VariableValue.text(line);
        } catch (JsonParseException e) {
            return VariableValue.text(line);
        }
    }

    /** Runs all but the last filter, which is a grep, so that the report can show what the grep removed. */
    private Tested printed(Condition.Printed condition, boolean wanted) {
        PipelineTemplate pipe = condition.pipe();
        Pipeline whole = pipe.with(values, false);
        Filter grep = whole.filters().get(whole.filters().size() - 1);
        Pipeline before = new Pipeline(
                whole.command(), whole.filters().subList(0, whole.filters().size() - 1), Optional.empty());
        Outcome outcome = run(pipe, before);
        String text = pipe.filters().get(pipe.filters().size() - 1).stream()
                .skip(1)
                .map(word -> word.with(values, Within.COMMAND))
                .collect(Collectors.joining(" "));
        String line = " line with '" + text + "' from '" + String.join(" ", before.command()) + "'";
        String expected = (wanted ? "a" : "no") + line;
        Optional<StepFailure> broken = broken(String.join(" ", before.command()), outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, ActualValue.told(""), outcome.output(), broken);
        }
        List<String> all = Palette.plain(outcome.output()).lines().toList();
        List<String> found = through(grep, all);
        return new Tested(
                found.isEmpty() != wanted,
                expected,
                found.isEmpty() ? seen(all) : new ActualValue("there is: ", shown(found.get(0))),
                outcome.output(),
                Optional.empty());
    }

    private static List<String> through(Filter filter, List<String> lines) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(kept, true, StandardCharsets.UTF_8);
                PipelineExecution flow = new PipelineExecution(
                        new Pipeline(List.of("cat"), List.of(filter), Optional.empty()), out, false, () -> {})) {
            lines.forEach(flow.input()::println);
            if (!flow.end(true)) {
                return List.of(); // grep -c prints a line also where nothing matches
            }
        }
        return kept.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** The command as it is called. */
    String call(PipelineTemplate pipe) {
        StringBuilder call = new StringBuilder(String.join(" ", pipe.words(values)));
        pipe.filters()
                .forEach(filter -> call.append(" | ")
                        .append(filter.stream()
                                .map(word -> word.with(values, Within.COMMAND))
                                .collect(Collectors.joining(" "))));
        return call.toString();
    }

    private static ActualValue seen(List<String> lines) {
        if (lines.isEmpty()) {
            return new ActualValue("it printed ", "nothing");
        }
        int more = lines.size() - LINES_SHOWN;
        return new ActualValue(
                "saw: ",
                lines.stream().limit(LINES_SHOWN).map(ConditionEvaluator::shown).collect(Collectors.joining(" | "))
                        + (more > 0 ? " | and " + more + " more" : ""));
    }

    static String shown(String line) {
        return Palette.clean(Table.clipped(Palette.plain(line).strip().replaceAll(" {2,}", "  "), WIDTH_SHOWN));
    }
}
