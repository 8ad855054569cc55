package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.CommandExecutor.Known;
import io.enipam.shell.runbook.Condition.ComparisonOperator;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookStep.StepSource;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads what a line does, from its words: commands with filters, conditions and values. */
final class ActionParser {
    private final CommandExecutor commands;
    private final VariableScope names;
    private final List<SourcePosition> controls = new ArrayList<>();

    ActionParser(CommandExecutor commands, VariableScope names) {
        this.commands = commands;
        this.names = names;
    }

    /** The positions of commands that need the right to control. */
    List<SourcePosition> controls() {
        return controls;
    }

    /** A command, {@code ! CMD}, {@code expect CONDITION} or {@code set NAME = CMD | FILTER}. */
    RunbookStep.Action action(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.isEmpty()) {
            throw missing(written);
        }
        WordTemplate first = words.get(0);
        if (first.is("expect")) {
            return new RunbookStep.Expect(written, condition(written, words.subList(1, words.size()), false));
        }
        if (first.is("set")) {
            return assignment(written, words);
        }
        if (first.is("try")) {
            return new RunbookStep.Run(
                    written, RunbookStep.Wanted.TRY, checked(pipe(written, words.subList(1, words.size()))));
        }
        if (negated(words)) {
            PipelineTemplate pipe = pipe(written, positive(words));
            if (!pipe.filters().isEmpty() || pipe.file().isPresent()) {
                throw first.wrong("what is refused prints nothing to filter", "Leave out what stands behind it");
            }
            return new RunbookStep.Run(written, RunbookStep.Wanted.REFUSED, checked(pipe));
        }
        return new RunbookStep.Run(written, RunbookStep.Wanted.RUN, checked(pipe(written, words)));
    }

    private RunbookStep.Assign assignment(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.size() < 4 || !words.get(2).is("=")) {
            throw written.wrong(
                    "set takes a name, = and a command", "As in: set idle = pool show | jq .pool.counts.idle");
        }
        PipelineTemplate pipe = checked(pipe(written, words.subList(3, words.size())));
        if (pipe.filters().isEmpty() || pipe.file().isPresent()) {
            throw words.get(3)
                    .wrong(
                            "set needs a filter that leaves one value",
                            "As in: set idle = pool show | jq .pool.counts.idle");
        }
        String name = words.get(1).source();
        names.set(name, words.get(1).place());
        return new RunbookStep.Assign(written, name, pipe);
    }

    /**
     * {@code [!] CMD | jq EXPR [SIGN VALUE]}, {@code [!] CMD | grep PATTERN}, {@code [!] VALUE SIGN VALUE}; a command
     * alone if it {@code branches}.
     */
    Condition condition(StepSource written, List<WordTemplate> words, boolean branches) throws RunbookSyntaxException {
        List<WordTemplate> rest = words;
        boolean not = false;
        while (negated(rest)) {
            rest = positive(rest);
            not = !not;
        }
        Condition positive = positive(written, rest, branches);
        return not ? new Condition.Not(positive) : positive;
    }

    private Condition positive(StepSource written, List<WordTemplate> words, boolean branches)
            throws RunbookSyntaxException {
        if (words.isEmpty()) {
            throw missing(written);
        }
        if (words.size() == 3 && ComparisonOperator.of(words.get(1)).isPresent()) {
            names.use(words);
            ComparisonOperator sign = ComparisonOperator.of(words.get(1)).get();
            return new Condition.Values(words.get(0), proven(sign, words.get(2)), words.get(2));
        }
        int last = lastBar(words);
        Optional<Integer> sign = last < 0 ? Optional.empty() : sign(words, last);
        if (sign.isPresent()) {
            int at = sign.get();
            if (at != words.size() - 2) {
                throw words.get(at)
                        .wrong(
                                "'" + words.get(at).source() + "' takes one value behind it",
                                "Put a value with blanks in quotes, and the whole expression if the sign is part of it");
            }
            WordTemplate value = words.get(at + 1);
            names.use(List.of(value));
            ComparisonOperator comparison =
                    proven(ComparisonOperator.of(words.get(at)).orElseThrow(), value);
            return new Condition.Compared(conditional(written, words.subList(0, at)), comparison, value);
        }
        PipelineTemplate pipe = conditional(written, words);
        return switch (pipe.last()) {
            case "jq" -> new Condition.True(pipe);
            case "grep" -> new Condition.Printed(pipe);
            case "" -> {
                if (branches) {
                    yield new Condition.Done(pipe);
                }
                throw written.wrong(
                        "expect needs to know of what",
                        "As in: expect pool inuse | grep 'default/web-0'; or: expect pool show | jq .pool.counts.idle >= 2");
            }
            default ->
                throw pipe.filters()
                        .get(pipe.filters().size() - 1)
                        .get(0)
                        .place()
                        .wrong(
                                "a comparison is missing behind '" + pipe.last() + "'",
                                "As in: expect pool inuse | wc -l < 100");
        };
    }

    private PipelineTemplate conditional(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        PipelineTemplate pipe = pipe(written, words);
        if (pipe.file().isPresent()) {
            throw pipe.file()
                    .get()
                    .place()
                    .wrong("a comparison stands behind a filter", "As in: expect pool show | jq .pool.counts.idle > 2");
        }
        return checked(pipe);
    }

    private static Optional<Integer> sign(List<WordTemplate> words, int bar) {
        for (int i = bar + 2; i < words.size(); i++) {
            if (ComparisonOperator.of(words.get(i)).isPresent()) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    private static ComparisonOperator proven(ComparisonOperator sign, WordTemplate value)
            throws RunbookSyntaxException {
        if (sign == ComparisonOperator.MATCHES && value.refs().isEmpty()) {
            try {
                ComparisonOperator.pattern(value.source());
            } catch (ShellException e) {
                throw new RunbookSyntaxException(value.place(), e);
            }
        }
        return sign;
    }

    private static int lastBar(List<WordTemplate> words) {
        int last = -1;
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).is("|")) {
                last = i;
            }
        }
        return last;
    }

    private static boolean negated(List<WordTemplate> words) {
        return !words.isEmpty()
                && words.get(0).bare()
                && words.get(0).source().startsWith("!")
                && !words.get(0).is("!=");
    }

    /** The words without the mark of negation, which may stand right before the first of them. */
    private static List<WordTemplate> positive(List<WordTemplate> words) throws RunbookSyntaxException {
        List<WordTemplate> rest = new ArrayList<>(words.subList(1, words.size()));
        WordTemplate first = words.get(0);
        if (!first.is("!")) {
            SourcePosition place = first.place();
            rest.add(
                    0,
                    WordTemplate.of(
                            new SourcePosition(place.file(), place.line(), place.column() + 1),
                            first.source().substring(1),
                            true));
        }
        return rest;
    }

    /** A command with filters and a file, from words that were not checked. */
    PipelineTemplate pipe(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        List<List<WordTemplate>> parts = new ArrayList<>();
        parts.add(new ArrayList<>());
        Optional<WordTemplate> file = Optional.empty();
        boolean append = false;
        for (int i = 0; i < words.size(); i++) {
            WordTemplate word = words.get(i);
            if (word.is(";")) {
                throw word.wrong(
                        "a line takes one command",
                        "Put what follows the semicolon on a line of its own, or in quotes");
            } else if (word.is("|")) {
                parts.add(new ArrayList<>());
            } else if (word.is(">") || word.is(">>")) {
                if (i + 2 != words.size()) {
                    throw word.wrong("one file stands behind '" + word.source() + "', and nothing else", "");
                }
                append = word.is(">>");
                file = Optional.of(words.get(i + 1));
                i++;
            } else {
                parts.get(parts.size() - 1).add(word);
            }
        }
        if (parts.get(0).isEmpty()) {
            throw missing(written);
        }
        for (List<WordTemplate> filter : parts.subList(1, parts.size())) {
            if (filter.isEmpty() || !filter.get(0).refs().isEmpty()) {
                throw written.wrong("a filter is missing behind '|'", "As in: pool inuse | grep web-0");
            }
        }
        return new PipelineTemplate(parts.get(0), parts.subList(1, parts.size()), file, append, false);
    }

    /** Holds it against the grammar, with examples for values that only the run will know. */
    PipelineTemplate checked(PipelineTemplate pipe) throws RunbookSyntaxException {
        names.use(pipe.words());
        Known known = known(pipe);
        for (WordTemplate word : pipe.command()
                .subList(0, Math.min(known.nameWords(), pipe.command().size()))) {
            if (!word.refs().isEmpty()) {
                throw word.wrong(
                        "a value cannot name a command",
                        "Write each command on a line of its own, with an 'if' around it");
            }
        }
        for (List<WordTemplate> filter : pipe.filters()) {
            filterKnown(filter);
        }
        if (known.control()) {
            controls.add(pipe.command().get(0).place());
        }
        return pipe.changing(known.changes());
    }

    private Known known(PipelineTemplate pipe) throws RunbookSyntaxException {
        ShellException first = null;
        for (Function<String, VariableValue> way : names.ways(pipe.command())) {
            try {
                return commands.known(pipe.words(way));
            } catch (ShellException e) {
                first = first == null ? e : first;
            }
        }
        throw new RunbookSyntaxException(pipe.command().get(0).place(), java.util.Objects.requireNonNull(first));
    }

    private void filterKnown(List<WordTemplate> filter) throws RunbookSyntaxException {
        ShellException first = null;
        for (Function<String, VariableValue> way : names.ways(filter)) {
            try {
                new PipelineTemplate(List.of(), List.of(filter), Optional.empty(), false, false).with(way, false);
                return;
            } catch (ShellException e) {
                first = first == null ? e : first;
            }
        }
        boolean valued = filter.get(0).is("jq")
                && filter.stream().anyMatch(word -> !word.refs().isEmpty());
        ShellException why = java.util.Objects.requireNonNull(first);
        throw valued
                ? filter.get(0)
                        .place()
                        .wrong(
                                String.valueOf(why.getMessage()),
                                "A value becomes a JSON string by itself: no quotes belong around ${...} in a jq expression")
                : new RunbookSyntaxException(filter.get(0).place(), why);
    }

    private static RunbookSyntaxException missing(StepSource written) {
        return written.wrong("a command is missing", "");
    }
}
