package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser;
import io.enipam.shell.runbook.RunbookStep.StepSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the steps of a file and of those it includes, and goes on behind a line that is wrong. Between {@code if},
 * {@code for} or {@code on-error} and {@code end} stands a block.
 */
final class StepParser {
    private static final Pattern RETRY = Pattern.compile("\\s*retry\\s+([^\\s:]+)\\s*:");

    private final VariableScope names;
    private final ActionParser actions;
    private final List<RunbookSyntaxException> problems;
    private final List<RunbookHeader> headers;
    private final Deque<String> including = new ArrayDeque<>();
    private int files;
    /** In how many blocks the next step stands, those around the file's include among them. */
    private int depth;

    /** @param problems takes what is wrong, {@code headers} the headers of what is included */
    StepParser(
            VariableScope names,
            ActionParser actions,
            List<RunbookSyntaxException> problems,
            List<RunbookHeader> headers) {
        this.names = names;
        this.actions = actions;
        this.problems = problems;
        this.headers = headers;
    }

    /** Reads all of a file. */
    List<RunbookStep> file(ScriptSource source, List<RunbookLine> lines) {
        including.push(source.identity());
        int around = depth;
        LineCursor cursor = new LineCursor(source, lines, around);
        List<RunbookStep> steps = new ArrayList<>();
        try {
            steps.addAll(block(cursor, Set.of()));
        } catch (TooDeep e) {
            depth = around;
        }
        including.pop();
        return steps;
    }

    /** Reads steps up to one of these words, which is not read, or the end of the file. */
    List<RunbookStep> block(LineCursor cursor, Set<String> ends) {
        List<RunbookStep> steps = new ArrayList<>();
        for (Optional<RunbookLine> next = cursor.peek(); next.isPresent(); next = cursor.peek()) {
            RunbookLine line = next.get();
            String word = line.shown().split("\\s+", 2)[0];
            if (ends.contains(word)) {
                return steps;
            }
            cursor.advance();
            try {
                readable(line, cursor);
                if (word.equals("end") || word.equals("else")) {
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
        StepSource written = new StepSource(line.start(), line.shown());
        Matcher retry = RETRY.matcher(line.text());
        if (retry.lookingAt()) {
            return retry(written, line, retry);
        }
        List<WordTemplate> words;
        try {
            words = line.words(0);
        } catch (RunbookSyntaxException e) {
            opened(line, cursor);
            throw e;
        }
        WordTemplate first = words.get(0);
        List<WordTemplate> rest = words.subList(1, words.size());
        if (first.is("if")) {
            return branch(written, rest, cursor);
        } else if (first.is("for")) {
            return loop(written, rest, cursor);
        } else if (first.is("on-error")) {
            return guard(written, rest, cursor);
        } else if (first.is("include")) {
            return include(written, rest, cursor);
        } else if (first.is("confirm")) {
            return new RunbookStep.Confirm(written, question(written, rest));
        } else if (first.is("echo")) {
            names.use(rest);
            return new RunbookStep.Echo(written, rest);
        } else if (first.is("retry")) {
            throw badRetry(written);
        }
        return actions.action(written, words);
    }

    private void readable(RunbookLine line, LineCursor cursor) throws RunbookSyntaxException {
        try {
            line.requireReadable();
        } catch (RunbookSyntaxException e) {
            opened(line, cursor);
            throw e;
        }
    }

    /**
     * A line that cannot be split may still open a block, whose end would otherwise be one thing more that is wrong.
     */
    private void opened(RunbookLine line, LineCursor cursor) {
        if (line.shown().matches("(if|for|on-error)\\b.*")) {
            skipped(new StepSource(line.start(), line.shown()), cursor);
        }
    }

    private RunbookStep.Retry retry(StepSource written, RunbookLine line, Matcher retry) throws RunbookSyntaxException {
        WordTemplate within = WordTemplate.of(line.at(retry.start(1)), retry.group(1), true);
        names.use(List.of(within));
        if (within.refs().isEmpty()) {
            span(within);
        }
        List<WordTemplate> words = line.words(retry.end());
        if (!words.isEmpty() && words.get(0).source().matches("retry|if|for|include|on-error|confirm|echo|end|else")) {
            throw badRetry(written);
        }
        return new RunbookStep.Retry(written, within, actions.action(written, words));
    }

    private static void span(WordTemplate within) throws RunbookSyntaxException {
        try {
            DurationParser.parse(within.source());
        } catch (ShellException e) {
            throw new RunbookSyntaxException(within.place(), e);
        }
    }

    private static RunbookSyntaxException badRetry(StepSource written) {
        return written.wrong(
                "retry takes a time and one step: a command, '! CMD', expect or set",
                "As in: retry 30s: expect pool inuse | grep web-0");
    }

    private WordTemplate question(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.size() != 1) {
            throw written.wrong("confirm takes one question", "As in: confirm \"Drain the pool of this node?\"");
        }
        names.use(words);
        return words.get(0);
    }

    private RunbookStep.Include include(StepSource written, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        if (words.size() != 1 || !words.get(0).refs().isEmpty()) {
            throw written.wrong(
                    words.size() == 1 ? "a value cannot name a file that is included" : "include takes one file",
                    "As in: include common.runbook");
        }
        WordTemplate file = words.get(0);
        ScriptSource source = cursor.source().included(file.source());
        if (including.contains(source.identity())) {
            throw file.wrong("'" + file.source() + "' includes itself", "");
        }
        files++;
        if (including.size() >= RunbookLimits.INCLUDE_DEPTH || files > RunbookLimits.FILES) {
            throw file.wrong(
                    "there are more than "
                            + (files > RunbookLimits.FILES ? RunbookLimits.FILES : RunbookLimits.INCLUDE_DEPTH)
                            + (files > RunbookLimits.FILES ? " files" : " files in each other"),
                    "");
        }
        List<RunbookStep> steps;
        RunbookHeader header;
        try {
            HeaderParser.Split split = HeaderParser.split(RunbookLine.of(source.name(), source.text()), problems::add);
            header = split.header();
            headers.add(header);
            names.included(header, file.place(), problems::add);
            steps = file(source, split.rest());
        } catch (ShellException e) {
            throw new RunbookSyntaxException(file.place(), e);
        }
        return new RunbookStep.Include(written, header, steps);
    }

    /** {@code if CONDITION}, up to its end. */
    RunbookStep.If branch(StepSource written, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Optional<Condition> condition = Optional.empty();
        try {
            boolean expects = !words.isEmpty() && words.get(0).is("expect");
            condition = Optional.of(actions.condition(written, expects ? words.subList(1, words.size()) : words, true));
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
        closed(written, cursor);
        requireSteps(written, then.isEmpty() && otherwise.isEmpty(), known);
        return new RunbookStep.If(written, condition.orElseGet(Condition.Nothing::new), then, otherwise);
    }

    /** {@code for NAME in ...}, up to its end. */
    RunbookStep.For loop(StepSource written, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Set<String> before = names.definedNames();
        Optional<PipelineTemplate> pipe = Optional.empty();
        List<WordTemplate> list = List.of();
        String name = words.isEmpty() ? "" : words.get(0).source();
        try {
            if (words.size() < 3 || !words.get(1).is("in")) {
                throw written.wrong(
                        "for takes a name, in, and a command or a list",
                        "As in: for pod in pool inuse | jq '.leases[].pod'; or: for n in list 1 2 3");
            }
            if (words.get(2).is("list")) {
                list = words.subList(3, words.size());
                names.use(list);
            } else {
                pipe = Optional.of(actions.checked(actions.pipe(written, words.subList(2, words.size()))));
                if (pipe.get().filters().isEmpty() || pipe.get().file().isPresent()) {
                    throw words.get(2)
                            .wrong(
                                    "for needs a filter that leaves its items, one a line",
                                    "As in: for pod in pod list | jq '.pods[].pod'");
                }
            }
            names.setQuietly(name, words.get(0).place());
        } catch (RunbookSyntaxException e) {
            problems.add(e);
            after(name);
        }
        int known = problems.size();
        List<RunbookStep> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(written, cursor);
        requireSteps(written, body.isEmpty(), known);
        return new RunbookStep.For(written, name, pipe, list, body);
    }

    /** Refuses an empty block, unless what is in it is what is wrong. */
    private void requireSteps(StepSource written, boolean empty, int known) throws RunbookSyntaxException {
        if (empty && problems.size() == known) {
            throw written.wrong("there is no step in it", "");
        }
    }

    /** What a broken line would have set has a value for the lines after it, which may be right. */
    private void after(String name) {
        Set<String> here = names.definedNames();
        here.add(name);
        names.after(here);
    }

    /** {@code on-error}, up to its end. */
    RunbookStep.OnError guard(StepSource written, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        Set<String> before = names.definedNames();
        if (!words.isEmpty()) {
            problems.add(words.get(0).wrong("nothing stands behind on-error", "Its steps are on the next lines"));
        }
        boolean second = cursor.guard();
        if (depth > cursor.around() || second) {
            problems.add(written.wrong(
                    second ? "there is an on-error in this file already" : "on-error stands in no other block",
                    "It is for all steps of the file that come after it"));
        }
        names.setQuietly(VariableScope.FAILURE, written.place());
        int known = problems.size();
        List<RunbookStep> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(written, cursor);
        requireSteps(written, body.isEmpty(), known);
        return new RunbookStep.OnError(written, body);
    }

    /** Reads a block whose first line is wrong, so that the problems inside it are reported, too. */
    void skipped(StepSource written, LineCursor cursor) {
        inner(cursor, Set.of("end", "else"));
        if (cursor.isAtElse()) {
            cursor.advance();
            inner(cursor, Set.of("end"));
        }
        closed(written, cursor);
    }

    private List<RunbookStep> inner(LineCursor cursor, Set<String> ends) {
        depth++;
        if (depth > RunbookLimits.BLOCK_DEPTH) {
            problems.add(cursor.last()
                    .start()
                    .wrong(
                            "blocks stand in each other more than " + RunbookLimits.BLOCK_DEPTH + " deep",
                            "Put the inner ones into a runbook of their own, and include it"));
            throw new TooDeep();
        }
        List<RunbookStep> inside = block(cursor, ends);
        depth--;
        return inside;
    }

    private void closed(StepSource written, LineCursor cursor) {
        if (cursor.peek().isEmpty()) {
            problems.add(written.wrong(
                    "'" + written.text().split("\\s", 2)[0] + "' has no 'end'", "Put one after its last step"));
            return;
        }
        alone(cursor, "end");
    }

    /** Reads a line that is this word and nothing else. */
    private void alone(LineCursor cursor, String word) {
        cursor.advance();
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

    /** The lines of one file that are still to be read. */
    private static final class LineCursor {
        private final ScriptSource source;
        private final List<RunbookLine> lines;
        private final int around;
        private int next;
        private boolean guarded;

        /** @param around in how many blocks the file stands */
        LineCursor(ScriptSource source, List<RunbookLine> lines, int around) {
            this.source = source;
            this.lines = lines;
            this.around = around;
        }

        ScriptSource source() {
            return source;
        }

        int around() {
            return around;
        }

        /** The next line, which stays the next one; empty at the end. */
        Optional<RunbookLine> peek() {
            return next < lines.size() ? Optional.of(lines.get(next)) : Optional.empty();
        }

        /** The line that was read last. */
        RunbookLine last() {
            return lines.get(next - 1);
        }

        void advance() {
            next++;
        }

        /** Whether the next line begins an {@code else}. */
        boolean isAtElse() {
            return peek().filter(line -> line.shown().startsWith("else")).isPresent();
        }

        /** Whether the file has an {@code on-error} already; from now on it has. */
        boolean guard() {
            boolean before = guarded;
            guarded = true;
            return before;
        }
    }
}
