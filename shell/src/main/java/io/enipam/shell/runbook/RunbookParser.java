package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser;
import io.enipam.shell.core.Table;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
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

    private final Map<String, String> given;
    private final List<RunbookHeader> headers = new ArrayList<>();
    private final VariableScope names;
    private final ActionParser actions;
    private final List<RunbookSyntaxException> problems = new ArrayList<>();
    private final Deque<String> including = new ArrayDeque<>();
    private int files;
    /** In how many blocks the next step stands, those around the file's include among them. */
    private int depth;

    private RunbookParser(CommandExecutor commands, Map<String, String> given) {
        this.given = given;
        this.names = new VariableScope(given);
        this.actions = new ActionParser(commands, names);
    }

    /**
     * Reads a runbook with values for its variables, of which none may be missing if it is {@code complete}. Throws a
     * usage error if its own file cannot be read.
     */
    public static Runbook parse(
            ScriptSource source, Map<String, String> given, boolean complete, CommandExecutor commands)
            throws InvalidRunbookException {
        return new RunbookParser(commands, given).root(source, complete);
    }

    private Runbook root(ScriptSource source, boolean complete) throws InvalidRunbookException {
        HeaderParser.Split split = HeaderParser.split(RunbookLine.of(source.name(), source.text()), problems::add);
        RunbookHeader header = split.header();
        headers.add(header);
        names.root(header, complete, problems::add);
        List<RunbookStep> steps = file(source, split.rest());
        if (header.needs().filter(Needs.INSPECT::equals).isPresent()) {
            String why = "the header says that to inspect is enough for this runbook, and for this command it is not";
            actions.controls().forEach(place -> problems.add(place.wrong(why, "Write needs: control")));
        }
        Variables shown = new Variables();
        headers.forEach(shown::declare);
        given.forEach((name, value) -> shown.put(name, VariableValue.text(value)));
        names.values().forEach(shown::put);
        List<String> complaints = new ArrayList<>(problems.stream()
                .sorted(Comparator.comparing(RunbookSyntaxException::place, SourcePosition.ORDER))
                .map(wrong -> wrong.line(shown::redact))
                .toList());
        if (problems.isEmpty() || complaints.size() < RunbookLimits.PROBLEMS) {
            complaints.addAll(names.unused(source.name(), header));
        }
        if (steps.isEmpty() && complaints.isEmpty()) {
            complaints.add(source.name() + ": there is no command in it");
        }
        if (!complaints.isEmpty()) {
            List<String> first = complaints.subList(0, Math.min(RunbookLimits.PROBLEMS, complaints.size()));
            throw new InvalidRunbookException(source.name(), first);
        }
        boolean control = !actions.controls().isEmpty();
        return new Runbook(source.name(), header, steps, names.values(), control);
    }

    private List<RunbookStep> file(ScriptSource source, List<RunbookLine> lines) {
        including.push(source.identity());
        int around = depth;
        List<RunbookStep> steps = List.of();
        try {
            steps = block(new LineCursor(source, lines, around), Set.of());
        } catch (TooDeep e) {
            depth = around;
        }
        including.pop();
        return steps;
    }

    /** Reads steps up to one of these words, which is not read, or the end of the file. */
    private List<RunbookStep> block(LineCursor cursor, Set<String> ends) {
        List<RunbookStep> steps = new ArrayList<>();
        for (Optional<RunbookLine> next = cursor.peek(); next.isPresent(); next = cursor.peek()) {
            RunbookLine line = next.get();
            String word = line.keyword();
            if (ends.contains(word)) {
                return steps;
            }
            cursor.next++;
            try {
                if (word.equals("end") || word.equals("else")) {
                    line.requireReadable();
                    throw line.wrong("nothing is open that '" + word + "' could belong to", "");
                }
                steps.add(step(line, cursor));
            } catch (RunbookSyntaxException e) {
                problems.add(e);
            }
        }
        return steps;
    }

    private RunbookStep step(RunbookLine line, LineCursor cursor) throws RunbookSyntaxException {
        List<WordTemplate> words;
        try {
            line.requireReadable();
            Matcher retry = RETRY.matcher(line.text());
            if (retry.lookingAt()) {
                return retry(line, retry);
            }
            words = line.words(0);
        } catch (RunbookSyntaxException e) {
            // a line that cannot be split may still open a block, whose end would otherwise be one thing more that is
            // wrong
            if (line.shown().matches("(if|for|on-error)\\b.*")) {
                skipped(line, cursor);
            }
            throw e;
        }
        WordTemplate first = words.get(0);
        List<WordTemplate> rest = words.subList(1, words.size());
        return switch (first.bare() ? first.source() : "") {
            case "if" -> branch(line, rest, cursor);
            case "for" -> loop(line, rest, cursor);
            case "on-error" -> guard(line, rest, cursor);
            case "include" -> include(line, rest, cursor);
            case "confirm" -> {
                if (rest.size() != 1) {
                    throw line.wrong("confirm takes one question", "As in: confirm \"Drain the pool of this node?\"");
                }
                names.use(rest);
                yield new RunbookStep.Confirm(line, rest.get(0));
            }
            case "echo" -> {
                names.use(rest);
                yield new RunbookStep.Echo(line, rest);
            }
            case "retry" -> throw badRetry(line);
            default -> actions.action(line, words);
        };
    }

    private RunbookStep.Retry retry(RunbookLine line, Matcher retry) throws RunbookSyntaxException {
        WordTemplate within = WordTemplate.of(line.at(retry.start(1)), retry.group(1), true);
        names.use(List.of(within));
        if (within.refs().isEmpty()) {
            within.require(() -> DurationParser.parse(within.source()));
        }
        List<WordTemplate> words = line.words(retry.end());
        if (!words.isEmpty() && words.get(0).source().matches("retry|if|for|include|on-error|confirm|echo|end|else")) {
            throw badRetry(line);
        }
        return new RunbookStep.Retry(line, within, actions.action(line, words));
    }

    private static RunbookSyntaxException badRetry(RunbookLine line) {
        return line.wrong(
                "retry takes a time and one step: a command, '! CMD', expect or set",
                "As in: retry 30s: expect pool inuse | grep web-0");
    }

    private RunbookStep.Include include(RunbookLine line, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        if (words.size() != 1 || !words.get(0).refs().isEmpty()) {
            throw line.wrong(
                    words.size() == 1 ? "a value cannot name a file that is included" : "include takes one file",
                    "As in: include common.runbook");
        }
        WordTemplate file = words.get(0);
        ScriptSource source = cursor.source.included(file.source());
        if (including.contains(source.identity())) {
            throw file.wrong("'" + file.source() + "' includes itself", "");
        }
        files++;
        if (files > RunbookLimits.FILES) {
            throw file.wrong("there are more than " + RunbookLimits.FILES + " files", "");
        } else if (including.size() >= RunbookLimits.INCLUDE_DEPTH) {
            throw file.wrong("there are more than " + RunbookLimits.INCLUDE_DEPTH + " files in each other", "");
        }
        try {
            HeaderParser.Split split = HeaderParser.split(RunbookLine.of(source.name(), source.text()), problems::add);
            headers.add(split.header());
            names.included(split.header(), file.place(), problems::add);
            return new RunbookStep.Include(line, split.header(), file(source, split.rest()));
        } catch (ShellException e) {
            throw file.wrong(e);
        }
    }

    private RunbookStep.If branch(RunbookLine line, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Condition condition = new Condition.Nothing();
        try {
            boolean expects = !words.isEmpty() && words.get(0).is("expect");
            condition = actions.condition(line, expects ? words.subList(1, words.size()) : words, true);
        } catch (RunbookSyntaxException e) {
            problems.add(e);
        }
        Set<String> before = names.definedNames();
        int known = problems.size();
        List<RunbookStep> then = inner(cursor, Set.of("end", "else"));
        Set<String> after = names.definedNames();
        names.after(before);
        List<RunbookStep> otherwise = List.of();
        if (cursor.isAtElse()) {
            alone(cursor, "else");
            otherwise = inner(cursor, Set.of("end"));
        }
        after.retainAll(names.definedNames());
        names.after(after);
        closed(line, cursor);
        requireSteps(line, then.isEmpty() && otherwise.isEmpty(), known);
        return new RunbookStep.If(line, condition, then, otherwise);
    }

    private RunbookStep.For loop(RunbookLine line, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Set<String> before = names.definedNames();
        Optional<PipelineTemplate> pipe = Optional.empty();
        List<WordTemplate> list = List.of();
        String name = words.isEmpty() ? "" : words.get(0).source();
        try {
            if (words.size() < 3 || !words.get(1).is("in")) {
                throw line.wrong(
                        "for takes a name, in, and a command or a list",
                        "As in: for pod in pool inuse | jq '.leases[].pod'; or: for n in list 1 2 3");
            }
            if (words.get(2).is("list")) {
                list = words.subList(3, words.size());
                names.use(list);
            } else {
                String why = "for needs a filter that leaves its items, one a line";
                String hint = "As in: for pod in pod list | jq '.pods[].pod'";
                pipe = Optional.of(actions.filtered(line, words.subList(2, words.size()), why, hint));
            }
            names.setQuietly(name, words.get(0).place());
        } catch (RunbookSyntaxException e) {
            problems.add(e);
            names.suppose(name);
        }
        return new RunbookStep.For(line, name, pipe, list, body(line, cursor, before));
    }

    private RunbookStep.OnError guard(RunbookLine line, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Set<String> before = names.definedNames();
        if (!words.isEmpty()) {
            problems.add(words.get(0).wrong("nothing stands behind on-error", "Its steps are on the next lines"));
        }
        if (depth > cursor.around || cursor.guarded) {
            problems.add(line.wrong(
                    cursor.guarded ? "there is an on-error in this file already" : "on-error stands in no other block",
                    "It is for all steps of the file that come after it"));
        }
        cursor.guarded = true;
        names.setQuietly(VariableScope.FAILURE, line.start());
        return new RunbookStep.OnError(line, body(line, cursor, before));
    }

    /** The one block of a step; what it sets has no value after it. */
    private List<RunbookStep> body(RunbookLine line, LineCursor cursor, Set<String> before)
            throws RunbookSyntaxException {
        int known = problems.size();
        List<RunbookStep> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(line, cursor);
        requireSteps(line, body.isEmpty(), known);
        return body;
    }

    /** Refuses an empty block, unless what is in it is what is wrong. */
    private void requireSteps(RunbookLine line, boolean empty, int known) throws RunbookSyntaxException {
        if (empty && problems.size() == known) {
            throw line.wrong("there is no step in it", "");
        }
    }

    /** Reads a block whose first line is wrong, so that the problems inside it are reported, too. */
    private void skipped(RunbookLine line, LineCursor cursor) {
        inner(cursor, Set.of("end", "else"));
        if (cursor.isAtElse()) {
            cursor.next++;
            inner(cursor, Set.of("end"));
        }
        closed(line, cursor);
    }

    private List<RunbookStep> inner(LineCursor cursor, Set<String> ends) {
        depth++;
        if (depth > RunbookLimits.BLOCK_DEPTH) {
            String why = "blocks stand in each other more than " + RunbookLimits.BLOCK_DEPTH + " deep";
            problems.add(cursor.last().wrong(why, "Put the inner ones into a runbook of their own, and include it"));
            throw new TooDeep();
        }
        List<RunbookStep> inside = block(cursor, ends);
        depth--;
        return inside;
    }

    private void closed(RunbookLine line, LineCursor cursor) {
        if (cursor.peek().isPresent()) {
            alone(cursor, "end");
        } else {
            problems.add(line.wrong("'" + line.keyword() + "' has no 'end'", "Put one after its last step"));
        }
    }

    /** Reads a line that is this word and nothing else. */
    private void alone(LineCursor cursor, String word) {
        cursor.next++;
        try {
            List<WordTemplate> words = cursor.last().words(0);
            if (words.size() > 1) {
                throw words.get(1).wrong("nothing stands behind '" + word + "'", "");
            }
        } catch (RunbookSyntaxException e) {
            problems.add(e);
        }
    }

    /** Ends the reading of a file whose blocks are nested too deeply to follow. */
    private static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The lines of one file, which stands in so many blocks, and the next of them to be read. */
    private static final class LineCursor {
        private final ScriptSource source;
        private final List<RunbookLine> lines;
        private final int around;
        private int next;
        /** Whether the file has an {@code on-error} already. */
        private boolean guarded;

        LineCursor(ScriptSource source, List<RunbookLine> lines, int around) {
            this.source = source;
            this.lines = lines;
            this.around = around;
        }

        Optional<RunbookLine> peek() {
            return next < lines.size() ? Optional.of(lines.get(next)) : Optional.empty();
        }

        RunbookLine last() {
            return lines.get(next - 1);
        }

        boolean isAtElse() {
            return peek().filter(line -> line.shown().startsWith("else")).isPresent();
        }
    }

    public static final class InvalidRunbookException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient List<String> problems;

        InvalidRunbookException(String file, List<String> problems) {
            super(file + " has " + Table.counted(problems.size(), "problem"));
            this.problems = List.copyOf(problems);
        }

        /** One line for each, {@code FILE:LINE:COLUMN: WHAT. HINT}. */
        public List<String> problems() {
            return problems;
        }
    }
}
