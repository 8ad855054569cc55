package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Commands.Known;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Reads what a line does, from its words: commands with filters, conditions and values. */
final class ActionParser {
    private final Commands commands;
    private final Names names;
    private final List<Place> controls = new ArrayList<>();

    ActionParser(Commands commands, Names names) {
        this.commands = commands;
        this.names = names;
    }

    /** Where commands stand that only those are answered who may control. */
    List<Place> controls() {
        return controls;
    }

    /** A command, {@code ! CMD}, {@code expect CONDITION} or {@code set NAME = CMD | FILTER}. */
    Step.Action action(Written written, List<Word> words) throws Wrong {
        if (words.isEmpty()) {
            throw missing(written);
        }
        Word first = words.get(0);
        if (first.is("expect")) {
            return new Step.Expect(written, condition(written, words.subList(1, words.size()), false));
        }
        if (first.is("set")) {
            return assignment(written, words);
        }
        if (first.is("try")) {
            return new Step.Try(written, checked(pipe(written, words.subList(1, words.size()))));
        }
        if (negated(words)) {
            Pipe pipe = pipe(written, positive(words));
            if (!pipe.filters().isEmpty() || pipe.file().isPresent()) {
                throw new Wrong(
                        first.place(), "what is refused prints nothing to filter", "Leave out what stands behind it");
            }
            return new Step.Refused(written, checked(pipe));
        }
        return new Step.Run(written, checked(pipe(written, words)));
    }

    private Step.Assign assignment(Written written, List<Word> words) throws Wrong {
        if (words.size() < 4 || !words.get(2).is("=")) {
            throw new Wrong(
                    written.place(),
                    "set takes a name, = and a command",
                    "As in: set idle = pool show | jq .pool.counts.idle");
        }
        Pipe pipe = checked(pipe(written, words.subList(3, words.size())));
        if (pipe.filters().isEmpty() || pipe.file().isPresent()) {
            throw new Wrong(
                    words.get(3).place(),
                    "set needs a filter that leaves one value",
                    "As in: set idle = pool show | jq .pool.counts.idle");
        }
        String name = words.get(1).source();
        names.set(name, words.get(1).place());
        return new Step.Assign(written, name, pipe);
    }

    /**
     * {@code [!] CMD | jq EXPR [SIGN VALUE]}, {@code [!] CMD | grep PATTERN}, {@code [!] VALUE SIGN VALUE}.
     *
     * @param branches whether a command alone will do, as it does for {@code if}
     */
    Condition condition(Written written, List<Word> words, boolean branches) throws Wrong {
        List<Word> rest = words;
        boolean not = false;
        while (negated(rest)) {
            rest = positive(rest);
            not = !not;
        }
        Condition positive = positive(written, rest, branches);
        return not ? new Condition.Not(positive) : positive;
    }

    private Condition positive(Written written, List<Word> words, boolean branches) throws Wrong {
        if (words.isEmpty()) {
            throw missing(written);
        }
        if (words.size() == 3 && Sign.of(words.get(1)).isPresent()) {
            names.use(words);
            Sign sign = Sign.of(words.get(1)).get();
            return new Condition.Values(words.get(0), proven(sign, words.get(2)), words.get(2));
        }
        int last = lastBar(words);
        Optional<Integer> sign = last < 0 ? Optional.empty() : sign(words, last);
        if (sign.isPresent()) {
            int at = sign.get();
            if (at != words.size() - 2) {
                throw new Wrong(
                        words.get(at).place(),
                        "'" + words.get(at).source() + "' takes one value behind it",
                        "Put a value with blanks in quotes, and the whole expression if the sign is part of it");
            }
            Word value = words.get(at + 1);
            names.use(List.of(value));
            Sign comparison = proven(Sign.of(words.get(at)).orElseThrow(), value);
            return new Condition.Compared(conditional(written, words.subList(0, at)), comparison, value);
        }
        Pipe pipe = conditional(written, words);
        return switch (pipe.last()) {
            case "jq" -> new Condition.True(pipe);
            case "grep" -> new Condition.Printed(pipe);
            case "" -> {
                if (branches) {
                    yield new Condition.Done(pipe);
                }
                throw new Wrong(
                        written.place(),
                        "expect needs to know of what",
                        "As in: expect pool inuse | grep 'default/web-0'; or: expect pool show | jq .pool.counts.idle >= 2");
            }
            default ->
                throw new Wrong(
                        pipe.filters().get(pipe.filters().size() - 1).get(0).place(),
                        "a comparison is missing behind '" + pipe.last() + "'",
                        "As in: expect pool inuse | wc -l < 100");
        };
    }

    private Pipe conditional(Written written, List<Word> words) throws Wrong {
        Pipe pipe = pipe(written, words);
        if (pipe.file().isPresent()) {
            throw new Wrong(
                    pipe.file().get().place(),
                    "a comparison stands behind a filter",
                    "As in: expect pool show | jq .pool.counts.idle > 2");
        }
        return checked(pipe);
    }

    private static Optional<Integer> sign(List<Word> words, int bar) {
        for (int i = bar + 2; i < words.size(); i++) {
            if (Sign.of(words.get(i)).isPresent()) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    private static Sign proven(Sign sign, Word value) throws Wrong {
        if (sign == Sign.MATCHES && value.refs().isEmpty()) {
            try {
                Sign.pattern(value.source());
            } catch (ShellException e) {
                throw new Wrong(value.place(), e);
            }
        }
        return sign;
    }

    private static int lastBar(List<Word> words) {
        int last = -1;
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).is("|")) {
                last = i;
            }
        }
        return last;
    }

    private static boolean negated(List<Word> words) {
        return !words.isEmpty()
                && words.get(0).bare()
                && words.get(0).source().startsWith("!")
                && !words.get(0).is("!=");
    }

    /** The words without the mark of negation, which may stand right before the first of them. */
    private static List<Word> positive(List<Word> words) throws Wrong {
        List<Word> rest = new ArrayList<>(words.subList(1, words.size()));
        Word first = words.get(0);
        if (!first.is("!")) {
            Place place = first.place();
            rest.add(
                    0,
                    Word.of(
                            new Place(place.file(), place.line(), place.column() + 1),
                            first.source().substring(1),
                            true));
        }
        return rest;
    }

    /** A command with filters and a file, from words that were not checked. */
    Pipe pipe(Written written, List<Word> words) throws Wrong {
        List<List<Word>> parts = new ArrayList<>();
        parts.add(new ArrayList<>());
        Optional<Word> file = Optional.empty();
        boolean append = false;
        for (int i = 0; i < words.size(); i++) {
            Word word = words.get(i);
            if (word.is(";")) {
                throw new Wrong(
                        word.place(),
                        "a line takes one command",
                        "Put what follows the semicolon on a line of its own, or in quotes");
            } else if (word.is("|")) {
                parts.add(new ArrayList<>());
            } else if (word.is(">") || word.is(">>")) {
                if (i + 2 != words.size()) {
                    throw new Wrong(
                            word.place(), "one file stands behind '" + word.source() + "', and nothing else", "");
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
        for (List<Word> filter : parts.subList(1, parts.size())) {
            if (filter.isEmpty() || !filter.get(0).refs().isEmpty()) {
                throw new Wrong(written.place(), "a filter is missing behind '|'", "As in: pool inuse | grep web-0");
            }
        }
        return new Pipe(parts.get(0), parts.subList(1, parts.size()), file, append, false);
    }

    /** Holds it against the grammar, with examples for values that only the run will know. */
    Pipe checked(Pipe pipe) throws Wrong {
        names.use(pipe.words());
        Known known = known(pipe);
        for (Word word : pipe.command()
                .subList(0, Math.min(known.nameWords(), pipe.command().size()))) {
            if (!word.refs().isEmpty()) {
                throw new Wrong(
                        word.place(),
                        "a value cannot name a command",
                        "Write each command on a line of its own, with an 'if' around it");
            }
        }
        for (List<Word> filter : pipe.filters()) {
            filterKnown(filter);
        }
        if (known.control()) {
            controls.add(pipe.command().get(0).place());
        }
        return pipe.changing(known.changes());
    }

    private Known known(Pipe pipe) throws Wrong {
        ShellException first = null;
        for (Function<String, Value> way : names.ways(pipe.command())) {
            try {
                return commands.known(pipe.words(way));
            } catch (ShellException e) {
                first = first == null ? e : first;
            }
        }
        throw new Wrong(pipe.command().get(0).place(), java.util.Objects.requireNonNull(first));
    }

    private void filterKnown(List<Word> filter) throws Wrong {
        ShellException first = null;
        for (Function<String, Value> way : names.ways(filter)) {
            try {
                new Pipe(List.of(), List.of(filter), Optional.empty(), false, false).with(way, false);
                return;
            } catch (ShellException e) {
                first = first == null ? e : first;
            }
        }
        boolean valued = filter.get(0).is("jq")
                && filter.stream().anyMatch(word -> !word.refs().isEmpty());
        ShellException why = java.util.Objects.requireNonNull(first);
        throw valued
                ? new Wrong(
                        filter.get(0).place(),
                        String.valueOf(why.getMessage()),
                        "A value becomes a JSON string by itself: no quotes belong around ${...} in a jq expression")
                : new Wrong(filter.get(0).place(), why);
    }

    private static Wrong missing(Written written) {
        return new Wrong(written.place(), "a command is missing", "");
    }
}
