package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.Header.Needs;
import io.enipam.shell.text.Spans;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a runbook as a whole, with all that it includes, and finds all that is wrong with it before any of it runs. The
 * grammar is in the package's README; each line is a step, and steps between {@code if}, {@code for} or {@code on-error} and
 * {@code end} are a block.
 *
 * <p>A value takes the place of {@code ${name}} after the line was split into words, so that no value can become a second
 * word or another command; in a jq expression it becomes a JSON string or number, and in a pattern it means itself.
 */
public final class RunbookParser {
    private static final Pattern RETRY = Pattern.compile("\\s*retry\\s+([^\\s:]+)\\s*:");

    private final Commands commands;
    private final Map<String, String> given;
    private final List<Header> headers = new ArrayList<>();
    private final Names names;
    private final ActionParser actions;
    private final List<Wrong> problems = new ArrayList<>();
    private final Deque<String> including = new ArrayDeque<>();
    private int files;
    private int depth;

    private RunbookParser(Commands commands, Map<String, String> given) {
        this.commands = commands;
        this.given = given;
        this.names = new Names(given);
        this.actions = new ActionParser(commands, names);
    }

    /**
     * Reads a runbook.
     *
     * @param given values of its variables, by name
     * @param complete whether it is to run with them, so that no required one may be missing
     * @throws BrokenRunbook if anything is wrong with it, with all of that
     * @throws ShellException (usage) if its own file cannot be read
     */
    public static Runbook parse(Source source, Map<String, String> given, boolean complete, Commands commands)
            throws BrokenRunbook {
        return new RunbookParser(commands, given).root(source, complete);
    }

    /** The lines of a file that are still to be read. */
    private static final class Cursor {
        private final Source source;
        private final List<Line> lines;
        private final int around;
        private int next;
        private boolean guarded;

        Cursor(Source source, List<Line> lines, int around) {
            this.source = source;
            this.lines = lines;
            this.around = around;
        }
    }

    private Runbook root(Source source, boolean complete) throws BrokenRunbook {
        String text = source.text();
        HeaderParser.Split split = HeaderParser.split(Line.of(source.name(), text), problems::add);
        Header header = split.header();
        headers.add(header);
        names.root(header, complete, problems::add);
        List<Step> steps = file(source, split.rest());
        requireHarmless(header);
        Shown shown = new Shown();
        headers.forEach(shown::declared);
        given.forEach((name, value) -> shown.is(name, Value.text(value)));
        names.values().forEach(shown::is);
        List<String> complaints = new ArrayList<>(problems.stream()
                .sorted((a, b) -> Place.ORDER.compare(a.place(), b.place()))
                .map(wrong -> wrong.line(shown::hiding))
                .toList());
        if (problems.isEmpty() || complaints.size() < Limits.PROBLEMS) {
            complaints.addAll(names.unused(source.name(), header));
        }
        if (steps.isEmpty() && complaints.isEmpty()) {
            complaints.add(source.name() + ": there is no command in it");
        }
        if (!complaints.isEmpty()) {
            throw new BrokenRunbook(source.name(), first(complaints));
        }
        return new Runbook(
                source.name(),
                header,
                steps,
                names.values(),
                !actions.controls().isEmpty());
    }

    private static List<String> first(List<String> complaints) {
        return complaints.subList(0, Math.min(Limits.PROBLEMS, complaints.size()));
    }

    private void requireHarmless(Header header) {
        if (header.needs().filter(needs -> needs == Needs.INSPECT).isPresent()) {
            actions.controls()
                    .forEach(place -> problems.add(new Wrong(
                            place,
                            "the header says that to inspect is enough for this runbook, and for this command it is not",
                            "Write needs: control")));
        }
    }

    private List<Step> file(Source source, List<Line> lines) {
        including.push(source.identity());
        int around = depth;
        Cursor cursor = new Cursor(source, lines, depth);
        List<Step> steps = new ArrayList<>();
        try {
            steps.addAll(block(cursor, Set.of()));
        } catch (TooDeep e) {
            depth = around;
        }
        including.pop();
        return steps;
    }

    /** Ends the reading of a file whose blocks nobody can follow any more. */
    private static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Reads steps up to one of these words, which is not read, or the end of the file. */
    private List<Step> block(Cursor cursor, Set<String> ends) {
        List<Step> steps = new ArrayList<>();
        while (cursor.next < cursor.lines.size()) {
            Line line = cursor.lines.get(cursor.next);
            String word = line.shown().split("\\s+", 2)[0];
            if (ends.contains(word)) {
                return steps;
            }
            cursor.next++;
            try {
                readable(line, cursor);
                if (word.equals("end") || word.equals("else")) {
                    throw new Wrong(line.start(), "nothing is open that '" + word + "' could belong to", "");
                }
                steps.add(step(line, cursor));
            } catch (Wrong e) {
                problems.add(e);
            }
        }
        return steps;
    }

    private Step step(Line line, Cursor cursor) throws Wrong {
        Written written = new Written(line.start(), line.shown());
        Matcher retry = RETRY.matcher(line.text());
        if (retry.lookingAt()) {
            return retry(written, line, retry);
        }
        List<Word> words;
        try {
            words = Lexer.words(line, 0);
        } catch (Wrong e) {
            opened(line, cursor);
            throw e;
        }
        Word first = words.get(0);
        List<Word> rest = words.subList(1, words.size());
        if (first.is("if")) {
            return branch(written, rest, cursor);
        } else if (first.is("for")) {
            return loop(written, rest, cursor);
        } else if (first.is("on-error")) {
            return guard(written, rest, cursor);
        } else if (first.is("include")) {
            return include(written, rest, cursor);
        } else if (first.is("confirm")) {
            return new Step.Confirm(written, question(written, rest));
        } else if (first.is("echo")) {
            names.use(rest);
            return new Step.Echo(written, rest);
        } else if (first.is("retry")) {
            throw badRetry(written);
        }
        return actions.action(written, words);
    }

    private void readable(Line line, Cursor cursor) throws Wrong {
        try {
            line.requireReadable();
        } catch (Wrong e) {
            opened(line, cursor);
            throw e;
        }
    }

    /** A line that cannot be split may still open a block, whose end would otherwise be one thing more that is wrong. */
    private void opened(Line line, Cursor cursor) {
        if (line.shown().matches("(if|for|on-error)\\b.*")) {
            body(new Written(line.start(), line.shown()), cursor);
        }
    }

    private Step.Retry retry(Written written, Line line, Matcher retry) throws Wrong {
        Word within = Word.of(line.at(retry.start(1)), retry.group(1), true);
        names.use(List.of(within));
        if (within.refs().isEmpty()) {
            span(within);
        }
        List<Word> words = Lexer.words(line, retry.end());
        if (!words.isEmpty() && words.get(0).source().matches("retry|if|for|include|on-error|confirm|echo|end|else")) {
            throw badRetry(written);
        }
        return new Step.Retry(written, within, actions.action(written, words));
    }

    private static void span(Word within) throws Wrong {
        try {
            Spans.parse(within.source());
        } catch (ShellException e) {
            throw new Wrong(within.place(), e);
        }
    }

    private static Wrong badRetry(Written written) {
        return new Wrong(
                written.place(),
                "retry takes a time and one step: a command, '! CMD', expect or set",
                "As in: retry 30s: expect pool inuse | grep web-0");
    }

    private Step.If branch(Written written, List<Word> words, Cursor cursor) throws Wrong {
        Optional<Condition> condition = Optional.empty();
        try {
            boolean expects = !words.isEmpty() && words.get(0).is("expect");
            condition = Optional.of(actions.condition(written, expects ? words.subList(1, words.size()) : words, true));
        } catch (Wrong e) {
            problems.add(e);
        }
        Set<String> before = names.here();
        int known = problems.size();
        List<Step> then = inner(cursor, Set.of("end", "else"));
        Set<String> after = names.here();
        names.after(before);
        List<Step> otherwise = List.of();
        if (cursor.next < cursor.lines.size()
                && cursor.lines.get(cursor.next).shown().startsWith("else")) {
            alone(cursor.lines.get(cursor.next), "else");
            cursor.next++;
            otherwise = inner(cursor, Set.of("end"));
        }
        after.retainAll(names.here());
        names.after(after);
        closed(written, cursor);
        requireSteps(written, then.isEmpty() && otherwise.isEmpty(), known);
        return new Step.If(written, condition.orElseGet(Condition.Nothing::new), then, otherwise);
    }

    private Step.For loop(Written written, List<Word> words, Cursor cursor) throws Wrong {
        Set<String> before = names.here();
        Optional<Pipe> pipe = Optional.empty();
        List<Word> list = List.of();
        String name = words.isEmpty() ? "" : words.get(0).source();
        try {
            if (words.size() < 3 || !words.get(1).is("in")) {
                throw new Wrong(
                        written.place(),
                        "for takes a name, in, and a command or a list",
                        "As in: for pod in pool inuse | jq '.leases[].pod'; or: for n in list 1 2 3");
            }
            if (words.get(2).is("list")) {
                list = words.subList(3, words.size());
                names.use(list);
            } else {
                pipe = Optional.of(actions.checked(actions.pipe(written, words.subList(2, words.size()))));
                if (pipe.get().filters().isEmpty() || pipe.get().file().isPresent()) {
                    throw new Wrong(
                            words.get(2).place(),
                            "for needs a filter that leaves its items, one a line",
                            "As in: for pod in pod list | jq '.pods[].pod'");
                }
            }
            names.setQuietly(name, words.get(0).place());
        } catch (Wrong e) {
            problems.add(e);
            after(name);
        }
        int known = problems.size();
        List<Step> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(written, cursor);
        requireSteps(written, body.isEmpty(), known);
        return new Step.For(written, name, pipe, list, body);
    }

    /** Refuses an empty block, unless what is in it is what is wrong. */
    private void requireSteps(Written written, boolean empty, int known) throws Wrong {
        if (empty && problems.size() == known) {
            throw new Wrong(written.place(), "there is no step in it", "");
        }
    }

    /** What a broken line would have set has a value for the lines after it, which may be right. */
    private void after(String name) {
        Set<String> here = names.here();
        here.add(name);
        names.after(here);
    }

    private Step.OnError guard(Written written, List<Word> words, Cursor cursor) throws Wrong {
        Set<String> before = names.here();
        if (!words.isEmpty()) {
            problems.add(new Wrong(
                    words.get(0).place(), "nothing stands behind on-error", "Its steps are on the next lines"));
        }
        if (depth > cursor.around || cursor.guarded) {
            problems.add(new Wrong(
                    written.place(),
                    cursor.guarded ? "there is an on-error in this file already" : "on-error stands in no other block",
                    "It is for all steps of the file that come after it"));
        }
        cursor.guarded = true;
        names.setQuietly(Names.FAILURE, written.place());
        int known = problems.size();
        List<Step> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(written, cursor);
        requireSteps(written, body.isEmpty(), known);
        return new Step.OnError(written, body);
    }

    private void body(Written written, Cursor cursor) {
        inner(cursor, Set.of("end", "else"));
        if (cursor.next < cursor.lines.size()
                && cursor.lines.get(cursor.next).shown().startsWith("else")) {
            cursor.next++;
            inner(cursor, Set.of("end"));
        }
        closed(written, cursor);
    }

    private List<Step> inner(Cursor cursor, Set<String> ends) {
        depth++;
        if (depth > Limits.BLOCK_DEPTH) {
            problems.add(new Wrong(
                    cursor.lines.get(cursor.next - 1).start(),
                    "blocks stand in each other more than " + Limits.BLOCK_DEPTH + " deep",
                    "Put the inner ones into a runbook of their own, and include it"));
            throw new TooDeep();
        }
        List<Step> steps = block(cursor, ends);
        depth--;
        return steps;
    }

    private void closed(Written written, Cursor cursor) {
        if (cursor.next == cursor.lines.size()) {
            problems.add(new Wrong(
                    written.place(),
                    "'" + written.text().split("\\s", 2)[0] + "' has no 'end'",
                    "Put one after its last step"));
            return;
        }
        alone(cursor.lines.get(cursor.next), "end");
        cursor.next++;
    }

    private void alone(Line line, String word) {
        try {
            List<Word> words = Lexer.words(line, 0);
            if (words.size() > 1) {
                throw new Wrong(words.get(1).place(), "nothing stands behind '" + word + "'", "");
            }
        } catch (Wrong e) {
            problems.add(e);
        }
    }

    private Word question(Written written, List<Word> words) throws Wrong {
        if (words.size() != 1) {
            throw new Wrong(
                    written.place(), "confirm takes one question", "As in: confirm \"Drain the pool of this node?\"");
        }
        names.use(words);
        return words.get(0);
    }

    private Step.Include include(Written written, List<Word> words, Cursor cursor) throws Wrong {
        if (words.size() != 1 || !words.get(0).refs().isEmpty()) {
            throw new Wrong(
                    written.place(),
                    words.size() == 1 ? "a value cannot name a file that is included" : "include takes one file",
                    "As in: include common.runbook");
        }
        Word file = words.get(0);
        Source source = cursor.source.included(file.source());
        if (including.contains(source.identity())) {
            throw new Wrong(file.place(), "'" + file.source() + "' includes itself", "");
        }
        files++;
        if (including.size() >= Limits.INCLUDE_DEPTH || files > Limits.FILES) {
            throw new Wrong(
                    file.place(),
                    "there are more than " + (files > Limits.FILES ? Limits.FILES : Limits.INCLUDE_DEPTH)
                            + (files > Limits.FILES ? " files" : " files in each other"),
                    "");
        }
        List<Step> steps;
        Header header;
        try {
            HeaderParser.Split split = HeaderParser.split(Line.of(source.name(), source.text()), problems::add);
            header = split.header();
            headers.add(header);
            names.included(header, file.place(), problems::add);
            steps = file(source, split.rest());
        } catch (ShellException e) {
            throw new Wrong(file.place(), e);
        }
        return new Step.Include(written, header, steps);
    }
}
