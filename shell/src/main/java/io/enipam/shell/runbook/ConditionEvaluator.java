package io.enipam.shell.runbook;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs the commands of conditions and holds what comes of them against what is expected. */
record ConditionEvaluator(CommandExecutor commands, Function<String, VariableValue> values) {
    private static final int LINES_SHOWN = 5;
    private static final Pattern COUNTED = Pattern.compile("(?s)(.*)\\|\\s*length\\s*");
    private static final int WIDTH_SHOWN = 100;

    /** A condition that was tested: what would make it true, what there was instead, why there is no answer, if so. */
    record Tested(boolean holds, String expected, ActualValue seen, String output, Optional<StepFailure> broken) {
        private static Tested answered(boolean holds, String expected, ActualValue seen, Outcome outcome) {
            return new Tested(holds, expected, seen, outcome.output(), Optional.empty());
        }

        StepFailure unexpected() {
            return StepFailure.unexpected(expected, seen);
        }

        private Tested negated() {
            return new Tested(!holds, "otherwise than " + expected, seen, output, broken);
        }
    }

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

    static StepFailure failed(String call, Outcome outcome) {
        ExitStatus exit = ExitStatus.of(outcome.status());
        String why =
                exit == ExitStatus.INTERRUPTED ? "interrupted" : "'" + call + "' ended with status " + outcome.status();
        return StepFailure.of(exit, outcome.error().isEmpty() ? why : outcome.error());
    }

    Tested test(Condition condition) {
        if (condition instanceof Condition.Not not) {
            return not.condition() instanceof Condition.Printed printed
                    ? printed(printed.pipe(), false)
                    : test(not.condition()).negated();
        } else if (condition instanceof Condition.Compared compared) {
            return compared(compared.pipe(), compared.sign(), compared.value().with(values, Within.COMMAND));
        } else if (condition instanceof Condition.True yes) {
            return compared(yes.pipe(), ComparisonOperator.EQUAL, "true");
        } else if (condition instanceof Condition.Printed printed) {
            return printed(printed.pipe(), true);
        } else if (condition instanceof Condition.Values pair) {
            return pair(pair);
        }
        return done(((Condition.Done) condition).pipe());
    }

    private Tested pair(Condition.Values pair) {
        String left = pair.left().with(values, Within.COMMAND);
        String right = pair.right().with(values, Within.COMMAND);
        String expected = "'" + left + "' " + pair.sign() + " '" + right + "'";
        boolean holds = pair.sign().test(left, right);
        return new Tested(holds, expected, ActualValue.told("it is not"), "", Optional.empty());
    }

    private Tested done(PipelineTemplate pipe) {
        Outcome outcome = run(pipe, false);
        String call = pipe.call(values);
        ActualValue seen = ActualValue.told(outcome.error());
        Optional<StepFailure> broken =
                outcome.done() || outcome.refused() ? Optional.empty() : Optional.of(failed(call, outcome));
        return new Tested(outcome.done(), "'" + call + "' to succeed", seen, outcome.output(), broken);
    }

    private Tested compared(PipelineTemplate pipe, ComparisonOperator sign, String wanted) {
        Outcome outcome = run(pipe, true);
        String call = pipe.call(values);
        String expected = call + " " + sign + " " + shown(wanted);
        Optional<StepFailure> broken = broken(call, outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, ActualValue.told(""), outcome.output(), broken);
        }
        List<VariableValue> results = results(pipe, outcome.output());
        if (results.size() == 1) {
            String seen = results.get(0).text();
            boolean holds = sign.test(seen, wanted);
            String what = holds ? "" : counted(pipe);
            return Tested.answered(holds, expected, ActualValue.saw(shown(seen) + what), outcome);
        }
        String some = results.stream()
                .limit(LINES_SHOWN)
                .map(value -> shown(value.text()))
                .collect(Collectors.joining(", "));
        ActualValue seen =
                results.isEmpty() ? ActualValue.NOTHING : ActualValue.saw(results.size() + " values: " + some);
        // one value is what a comparison is about, so neither it nor its opposite holds of none or of many
        StepFailure failure = StepFailure.unexpected("one value: " + expected, seen);
        return new Tested(false, expected, seen, outcome.output(), Optional.of(failure));
    }

    /** What a last jq counted, asked for once more; empty if it counts nothing, or there is nothing. */
    private String counted(PipelineTemplate pipe) {
        List<WordTemplate> jq = pipe.lastFilter();
        String expression = jq.get(jq.size() - 1).with(values, Within.JQ);
        Matcher length = COUNTED.matcher(expression);
        if (!pipe.last().equals("jq") || !length.matches() || pipe.changes()) {
            return "";
        }
        Pipeline whole = pipe.with(values, true);
        List<Filter> filters = new ArrayList<>(whole.filters());
        String each = "(" + length.group(1) + ") | if type == \"array\" or type == \"object\" then .[] else . end";
        filters.set(filters.size() - 1, Filter.of(List.of("jq", "-c", each)));
        Outcome again = run(pipe, new Pipeline(whole.command(), filters, Optional.empty()));
        List<String> lines = Palette.plain(again.output()).lines().toList();
        return broken("", again).isPresent() || lines.isEmpty() ? "" : ": " + some(lines);
    }

    /** What the last filter left: of jq each result, of the others each line. */
    static List<VariableValue> results(PipelineTemplate pipe, String output) {
        boolean json = pipe.last().equals("jq")
                && pipe.lastFilter().stream().noneMatch(word -> word.source().matches("--raw-output|-[a-z]*r[a-z]*"));
        return Palette.plain(output)
                .lines()
                .map(json ? ConditionEvaluator::result : VariableValue::text)
                .toList();
    }

    private static VariableValue result(String line) {
        try {
            if (JsonParser.parseString(line) instanceof JsonPrimitive value) {
                return new VariableValue(value.getAsString(), value.isNumber());
            }
        } catch (JsonParseException e) {
            // then it is text
        }
        return VariableValue.text(line);
    }

    /** Runs all but the last filter, which is a grep, so that the report can show what the grep removed. */
    private Tested printed(PipelineTemplate pipe, boolean wanted) {
        Pipeline whole = pipe.with(values, false);
        int last = whole.filters().size() - 1;
        Pipeline before = new Pipeline(whole.command(), whole.filters().subList(0, last), Optional.empty());
        Outcome outcome = run(pipe, before);
        String call = String.join(" ", before.command());
        List<WordTemplate> grep = pipe.lastFilter();
        List<WordTemplate> wordsOfGrep = grep.subList(1, grep.size());
        String text = wordsOfGrep.size() == 1
                ? wordsOfGrep.get(0).with(values, Within.COMMAND)
                : WordTemplate.typed(wordsOfGrep, values);
        String expected = (wanted ? "a" : "no") + " line with '" + text + "' from '" + call + "'";
        Optional<StepFailure> broken = broken(call, outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, ActualValue.told(""), outcome.output(), broken);
        }
        List<String> all = Palette.plain(outcome.output()).lines().toList();
        List<String> found = through(whole.filters().get(last), all);
        ActualValue seen = found.isEmpty() ? seen(all) : new ActualValue("there is: ", shown(found.get(0)));
        return Tested.answered(found.isEmpty() != wanted, expected, seen, outcome);
    }

    private static List<String> through(Filter filter, List<String> lines) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        Pipeline pipeline = new Pipeline(List.of("cat"), List.of(filter), Optional.empty());
        try (PrintStream out = new PrintStream(kept, true, StandardCharsets.UTF_8);
                PipelineExecution flow = new PipelineExecution(pipeline, out, false, () -> {})) {
            lines.forEach(flow.input()::println);
            if (!flow.end(true)) {
                return List.of(); // grep -c prints a line also where nothing matches
            }
        }
        return kept.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static ActualValue seen(List<String> lines) {
        return lines.isEmpty() ? new ActualValue("it printed ", "nothing") : new ActualValue("saw: ", some(lines));
    }

    private static String some(List<String> lines) {
        int more = lines.size() - LINES_SHOWN;
        return lines.stream().limit(LINES_SHOWN).map(ConditionEvaluator::shown).collect(Collectors.joining(" | "))
                + (more > 0 ? " | and " + more + " more" : "");
    }

    static String shown(String line) {
        return Palette.clean(Table.clipped(Palette.plain(line).strip().replaceAll(" {2,}", "  "), WIDTH_SHOWN));
    }
}
