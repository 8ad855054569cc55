package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.CommandExecutor.Known;
import io.enipam.shell.runbook.Condition.ComparisonOperator;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookStep.Wanted;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Reads what a line does, from its words: commands with filters, conditions and values. */
final class ActionParser {
    private static final String SET = "As in: set idle = pool show | jq .pool.counts.idle";

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
    RunbookStep.Action action(RunbookLine line, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.isEmpty()) {
            throw missing(line);
        }
        WordTemplate first = words.get(0);
        List<WordTemplate> rest = words.subList(1, words.size());
        if (first.is("expect")) {
            return new RunbookStep.Expect(line, condition(line, rest, false));
        } else if (first.is("set")) {
            return assignment(line, words);
        } else if (first.is("try")) {
            return new RunbookStep.Run(line, Wanted.TRY, checked(pipe(line, rest)));
        } else if (negated(words)) {
            PipelineTemplate pipe = pipe(line, positive(words));
            if (!pipe.filters().isEmpty() || pipe.file().isPresent()) {
                throw first.wrong("what is refused prints nothing to filter", "Leave out what stands behind it");
            }
            return new RunbookStep.Run(line, Wanted.REFUSED, checked(pipe));
        }
        return new RunbookStep.Run(line, Wanted.RUN, checked(pipe(line, words)));
    }

    private RunbookStep.Assign assignment(RunbookLine line, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.size() < 4 || !words.get(2).is("=")) {
            throw line.wrong("set takes a name, = and a command", SET);
        }
        WordTemplate name = words.get(1);
        PipelineTemplate pipe =
                filtered(line, words.subList(3, words.size()), "set needs a filter that leaves one value", SET);
        names.set(name.source(), name.place());
        return new RunbookStep.Assign(line, name.source(), pipe);
    }

    /** A command whose values the run takes from its last filter; without one the error is {@code why}. */
    PipelineTemplate filtered(RunbookLine line, List<WordTemplate> words, String why, String hint)
            throws RunbookSyntaxException {
        PipelineTemplate pipe = checked(pipe(line, words));
        if (pipe.filters().isEmpty() || pipe.file().isPresent()) {
            throw words.get(0).wrong(why, hint);
        }
        return pipe;
    }

    /**
     * {@code [!] CMD | jq EXPR [SIGN VALUE]}, {@code [!] CMD | grep PATTERN}, {@code [!] VALUE SIGN VALUE}; a command
     * alone if it {@code branches}.
     */
    Condition condition(RunbookLine line, List<WordTemplate> words, boolean branches) throws RunbookSyntaxException {
        List<WordTemplate> rest = words;
        boolean not = false;
        while (negated(rest)) {
            rest = positive(rest);
            not = !not;
        }
        Condition positive = positive(line, rest, branches);
        return not ? new Condition.Not(positive) : positive;
    }

    private Condition positive(RunbookLine line, List<WordTemplate> words, boolean branches)
            throws RunbookSyntaxException {
        if (words.isEmpty()) {
            throw missing(line);
        }
        if (words.size() == 3 && ComparisonOperator.of(words.get(1)).isPresent()) {
            names.use(words);
            return new Condition.Values(words.get(0), sign(words, 1), words.get(2));
        }
        int bar = words.size() - 1;
        while (bar >= 0 && !words.get(bar).is("|")) {
            bar--;
        }
        int at = bar < 0 ? words.size() : bar + 2;
        while (at < words.size() && ComparisonOperator.of(words.get(at)).isEmpty()) {
            at++;
        }
        if (at < words.size()) {
            if (at != words.size() - 2) {
                String hint = "Put a value with blanks in quotes, and the whole expression if the sign is part of it";
                throw words.get(at).wrong("'" + words.get(at).source() + "' takes one value behind it", hint);
            }
            names.use(words.subList(at + 1, words.size()));
            ComparisonOperator sign = sign(words, at);
            return new Condition.Compared(conditional(line, words.subList(0, at)), sign, words.get(at + 1));
        }
        PipelineTemplate pipe = conditional(line, words);
        String last = pipe.last();
        if (last.equals("jq")) {
            return new Condition.True(pipe);
        } else if (last.equals("grep")) {
            return new Condition.Printed(pipe);
        } else if (last.isEmpty() && branches) {
            return new Condition.Done(pipe);
        } else if (last.isEmpty()) {
            throw line.wrong(
                    "expect needs to know of what",
                    "As in: expect pool inuse | grep 'default/web-0'; or: expect pool show | jq .pool.counts.idle >= 2");
        }
        String why = "a comparison is missing behind '" + last + "'";
        throw words.get(bar + 1).wrong(why, "As in: expect pool inuse | wc -l < 100");
    }

    private PipelineTemplate conditional(RunbookLine line, List<WordTemplate> words) throws RunbookSyntaxException {
        PipelineTemplate pipe = pipe(line, words);
        if (pipe.file().isPresent()) {
            WordTemplate file = pipe.file().get();
            throw file.wrong(
                    "a comparison stands behind a filter", "As in: expect pool show | jq .pool.counts.idle > 2");
        }
        return checked(pipe);
    }

    /** The sign at a place, whose pattern is one if it is known already. */
    private static ComparisonOperator sign(List<WordTemplate> words, int at) throws RunbookSyntaxException {
        ComparisonOperator sign = ComparisonOperator.of(words.get(at)).orElseThrow();
        WordTemplate value = words.get(at + 1);
        if (sign == ComparisonOperator.MATCHES && value.refs().isEmpty()) {
            value.require(() -> ComparisonOperator.pattern(value.source()));
        }
        return sign;
    }

    private static boolean negated(List<WordTemplate> words) {
        return !words.isEmpty() && words.get(0).bare() && words.get(0).source().matches("(?s)!(?!=$).*");
    }

    /** The words without the mark of negation, which may stand right before the first of them. */
    private static List<WordTemplate> positive(List<WordTemplate> words) throws RunbookSyntaxException {
        List<WordTemplate> rest = new ArrayList<>(words.subList(1, words.size()));
        WordTemplate first = words.get(0);
        if (!first.is("!")) {
            SourcePosition place = first.place();
            SourcePosition behind = new SourcePosition(place.file(), place.line(), place.column() + 1);
            rest.add(0, WordTemplate.of(behind, first.source().substring(1), true));
        }
        return rest;
    }

    /** A command with filters and a file, from words that were not checked. */
    private static PipelineTemplate pipe(RunbookLine line, List<WordTemplate> words) throws RunbookSyntaxException {
        List<List<WordTemplate>> parts = new ArrayList<>(List.of(new ArrayList<>()));
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
            throw missing(line);
        }
        List<List<WordTemplate>> filters = parts.subList(1, parts.size());
        if (filters.stream()
                .anyMatch(filter -> filter.isEmpty() || !filter.get(0).refs().isEmpty())) {
            throw line.wrong("a filter is missing behind '|'", "As in: pool inuse | grep web-0");
        }
        return new PipelineTemplate(parts.get(0), filters, file, append, false);
    }

    /** Holds it against the grammar, with examples for values that only the run will know. */
    private PipelineTemplate checked(PipelineTemplate pipe) throws RunbookSyntaxException {
        names.use(pipe.words());
        List<WordTemplate> command = pipe.command();
        Known known = anyWay(
                command,
                way -> commands.known(pipe.words(way)),
                e -> command.get(0).wrong(e));
        for (WordTemplate word : command.subList(0, Math.min(known.nameWords(), command.size()))) {
            if (!word.refs().isEmpty()) {
                throw word.wrong(
                        "a value cannot name a command",
                        "Write each command on a line of its own, with an 'if' around it");
            }
        }
        for (List<WordTemplate> filter : pipe.filters()) {
            anyWay(filter, way -> PipelineTemplate.filter(filter, way, false), e -> badFilter(filter, e));
        }
        if (known.control()) {
            controls.add(command.get(0).place());
        }
        return new PipelineTemplate(command, pipe.filters(), pipe.file(), pipe.append(), known.changes());
    }

    /** What comes of words with the first of the ways to fill in their values that is right; the error is that of the first. */
    private <T> T anyWay(
            List<WordTemplate> words,
            Function<Function<String, VariableValue>, T> read,
            Function<ShellException, RunbookSyntaxException> wrong)
            throws RunbookSyntaxException {
        RunbookSyntaxException first = null;
        for (Function<String, VariableValue> way : names.ways(words)) {
            try {
                return read.apply(way);
            } catch (ShellException e) {
                first = first == null ? wrong.apply(e) : first;
            }
        }
        throw Objects.requireNonNull(first);
    }

    private static RunbookSyntaxException badFilter(List<WordTemplate> filter, ShellException why) {
        WordTemplate name = filter.get(0);
        String hint = "A value becomes a JSON string by itself: no quotes belong around ${...} in a jq expression";
        boolean valued =
                name.is("jq") && filter.stream().anyMatch(word -> !word.refs().isEmpty());
        return valued ? name.wrong(String.valueOf(why.getMessage()), hint) : name.wrong(why);
    }

    private static RunbookSyntaxException missing(RunbookLine line) {
        return line.wrong("a command is missing", "");
    }
}
