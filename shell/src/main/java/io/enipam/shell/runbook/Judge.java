package io.enipam.shell.runbook;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Filter;
import io.enipam.shell.pipe.Flow;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Table;
import io.enipam.shell.runbook.Commands.Outcome;
import io.enipam.shell.runbook.Word.Within;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Runs the commands of conditions and holds what comes of them against what is expected. */
final class Judge {
    private static final int LINES_SHOWN = 5;
    private static final int WIDTH_SHOWN = 100;

    private final Commands commands;
    private final Function<String, Value> values;

    Judge(Commands commands, Function<String, Value> values) {
        this.commands = commands;
        this.values = values;
    }

    /**
     * A condition that was held against what there is.
     *
     * @param expected what would make it true, in words
     * @param seen what there was
     * @param broken why there is no answer, if there is none
     */
    record Tested(boolean holds, String expected, Seen seen, String output, Optional<Failure> broken) {
        private Tested negated() {
            return new Tested(!holds, "otherwise than " + expected, seen, output, broken);
        }
    }

    /** Runs a command with its filters. */
    Outcome run(Pipe pipe, boolean perLine) {
        return run(pipe, pipe.with(values, perLine));
    }

    private Outcome run(Pipe pipe, Pipeline pipeline) {
        boolean valued = pipe.command().stream().anyMatch(word -> !word.refs().isEmpty());
        if (valued && !pipe.changes() && commands.known(pipeline.command()).changes()) {
            throw new ShellException(
                    Exit.USAGE, "", "with this value the command changes something, which the plan does not say", "");
        }
        return commands.run(pipeline);
    }

    /** Why there is no answer to judge. A check that found something has given one, and a filter that found nothing, too. */
    static Optional<Failure> broken(String call, Outcome outcome) {
        return outcome.whole() ? Optional.empty() : Optional.of(failed(call, outcome));
    }

    /** A command's own failure. */
    static Failure failed(String call, Outcome outcome) {
        if (outcome.status() == Exit.INTERRUPTED.status() && outcome.error().isEmpty()) {
            return Failure.of(Exit.INTERRUPTED, "interrupted");
        }
        return Failure.of(
                Exit.of(outcome.status()),
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
            return compared(yes.pipe(), Sign.EQUAL, "true");
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
        boolean holds = pair.sign().holds(left, right);
        return new Tested(
                holds,
                "'" + left + "' " + pair.sign() + " '" + right + "'",
                Seen.told("it is not"),
                "",
                Optional.empty());
    }

    private Tested done(Pipe pipe) {
        Outcome outcome = run(pipe, false);
        Optional<Failure> broken =
                outcome.done() || outcome.refused() ? Optional.empty() : Optional.of(failed(call(pipe), outcome));
        return new Tested(
                outcome.done(),
                "'" + call(pipe) + "' to succeed",
                Seen.told(outcome.error()),
                outcome.output(),
                broken);
    }

    private Tested compared(Pipe pipe, Sign sign, String wanted) {
        Outcome outcome = run(pipe, true);
        String expected = "'" + call(pipe) + "' " + sign + " " + shown(wanted);
        Optional<Failure> broken = broken(call(pipe), outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, Seen.told(""), outcome.output(), broken);
        }
        List<Value> results = results(pipe, outcome.output());
        if (results.size() != 1) {
            Seen seen = results.isEmpty() ? Seen.NOTHING : Seen.saw(results.size() + " values: " + some(results));
            // one value is what a comparison is about, so neither it nor its opposite holds of none or of many
            return new Tested(
                    false,
                    expected,
                    seen,
                    outcome.output(),
                    Optional.of(Failure.unexpected("one value: " + expected, seen)));
        }
        String seen = results.get(0).text();
        return new Tested(
                sign.holds(seen, wanted), expected, Seen.saw(shown(seen)), outcome.output(), Optional.empty());
    }

    private static String some(List<Value> results) {
        return results.stream()
                .limit(LINES_SHOWN)
                .map(value -> shown(value.text()))
                .collect(Collectors.joining(", "));
    }

    /** What the last filter left: of jq each result, of the others each line. */
    static List<Value> results(Pipe pipe, String output) {
        boolean json = pipe.last().equals("jq")
                && pipe.filters().get(pipe.filters().size() - 1).stream()
                        .noneMatch(word -> word.source().matches("--raw-output|-[a-z]*r[a-z]*"));
        List<Value> values = new ArrayList<>();
        for (String line : Palette.plain(output).lines().toList()) {
            values.add(json ? result(line) : Value.text(line));
        }
        return values;
    }

    private static Value result(String line) {
        try {
            JsonElement element = JsonParser.parseString(line);
            return element.isJsonPrimitive()
                    ? new Value(
                            element.getAsString(), element.getAsJsonPrimitive().isNumber())
                    : Value.text(line);
        } catch (JsonParseException e) {
            return Value.text(line);
        }
    }

    /** Runs all but the last filter, which is a grep, so that what it did not let through can be told. */
    private Tested printed(Condition.Printed condition, boolean wanted) {
        Pipe pipe = condition.pipe();
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
        Optional<Failure> broken = broken(String.join(" ", before.command()), outcome);
        if (broken.isPresent()) {
            return new Tested(false, expected, Seen.told(""), outcome.output(), broken);
        }
        List<String> all = Palette.plain(outcome.output()).lines().toList();
        List<String> found = through(grep, all);
        return new Tested(
                found.isEmpty() != wanted,
                expected,
                found.isEmpty() ? seen(all) : new Seen("there is: ", shown(found.get(0))),
                outcome.output(),
                Optional.empty());
    }

    private static List<String> through(Filter filter, List<String> lines) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(kept, true, StandardCharsets.UTF_8);
                Flow flow = new Flow(
                        new Pipeline(List.of("cat"), List.of(filter), Optional.empty()), out, false, () -> {})) {
            lines.forEach(flow.input()::println);
            if (!flow.end(true)) {
                return List.of(); // grep -c prints a line also where nothing matches
            }
        }
        return kept.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** The command as it is called. */
    String call(Pipe pipe) {
        StringBuilder call = new StringBuilder(String.join(" ", pipe.words(values)));
        pipe.filters()
                .forEach(filter -> call.append(" | ")
                        .append(filter.stream()
                                .map(word -> word.with(values, Within.COMMAND))
                                .collect(Collectors.joining(" "))));
        return call.toString();
    }

    private static Seen seen(List<String> lines) {
        if (lines.isEmpty()) {
            return new Seen("it printed ", "nothing");
        }
        int more = lines.size() - LINES_SHOWN;
        return new Seen(
                "saw: ",
                lines.stream().limit(LINES_SHOWN).map(Judge::shown).collect(Collectors.joining(" | "))
                        + (more > 0 ? " | and " + more + " more" : ""));
    }

    static String shown(String line) {
        return Palette.clean(Table.clipped(Palette.plain(line).strip().replaceAll(" {2,}", "  "), WIDTH_SHOWN));
    }
}
