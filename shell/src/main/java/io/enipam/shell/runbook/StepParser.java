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

/** Reads the steps of a file and of those it includes, line by line, and goes on behind a line that is wrong. */
final class StepParser {
    private static final Pattern RETRY = Pattern.compile("\\s*retry\\s+([^\\s:]+)\\s*:");

    private final VariableScope names;
    private final ActionParser actions;
    private final List<RunbookSyntaxException> problems;
    private final List<RunbookHeader> headers;
    private final BlockParser blocks;
    private final Deque<String> including = new ArrayDeque<>();
    private int files;

    /**
     * @param problems where what is wrong is put
     * @param headers where the headers of what is included are put
     */
    StepParser(
            VariableScope names,
            ActionParser actions,
            List<RunbookSyntaxException> problems,
            List<RunbookHeader> headers) {
        this.names = names;
        this.actions = actions;
        this.problems = problems;
        this.headers = headers;
        this.blocks = new BlockParser(this, names, actions, problems);
    }

    /** Reads all of a file. */
    List<RunbookStep> file(ScriptSource source, List<RunbookLine> lines) {
        including.push(source.identity());
        int around = blocks.depth();
        LineCursor cursor = new LineCursor(source, lines, around);
        List<RunbookStep> steps = new ArrayList<>();
        try {
            steps.addAll(block(cursor, Set.of()));
        } catch (BlockParser.TooDeep e) {
            blocks.leaveTo(around);
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
                    throw new RunbookSyntaxException(
                            line.start(), "nothing is open that '" + word + "' could belong to", "");
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
            words = RunbookLexer.words(line, 0);
        } catch (RunbookSyntaxException e) {
            opened(line, cursor);
            throw e;
        }
        WordTemplate first = words.get(0);
        List<WordTemplate> rest = words.subList(1, words.size());
        if (first.is("if")) {
            return blocks.branch(written, rest, cursor);
        } else if (first.is("for")) {
            return blocks.loop(written, rest, cursor);
        } else if (first.is("on-error")) {
            return blocks.guard(written, rest, cursor);
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

    /** A line that cannot be split may still open a block, whose end would otherwise be one thing more that is wrong. */
    private void opened(RunbookLine line, LineCursor cursor) {
        if (line.shown().matches("(if|for|on-error)\\b.*")) {
            blocks.skipped(new StepSource(line.start(), line.shown()), cursor);
        }
    }

    private RunbookStep.Retry retry(StepSource written, RunbookLine line, Matcher retry) throws RunbookSyntaxException {
        WordTemplate within = WordTemplate.of(line.at(retry.start(1)), retry.group(1), true);
        names.use(List.of(within));
        if (within.refs().isEmpty()) {
            span(within);
        }
        List<WordTemplate> words = RunbookLexer.words(line, retry.end());
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
        return new RunbookSyntaxException(
                written.place(),
                "retry takes a time and one step: a command, '! CMD', expect or set",
                "As in: retry 30s: expect pool inuse | grep web-0");
    }

    private WordTemplate question(StepSource written, List<WordTemplate> words) throws RunbookSyntaxException {
        if (words.size() != 1) {
            throw new RunbookSyntaxException(
                    written.place(), "confirm takes one question", "As in: confirm \"Drain the pool of this node?\"");
        }
        names.use(words);
        return words.get(0);
    }

    private RunbookStep.Include include(StepSource written, List<WordTemplate> words, LineCursor cursor)
            throws RunbookSyntaxException {
        if (words.size() != 1 || !words.get(0).refs().isEmpty()) {
            throw new RunbookSyntaxException(
                    written.place(),
                    words.size() == 1 ? "a value cannot name a file that is included" : "include takes one file",
                    "As in: include common.runbook");
        }
        WordTemplate file = words.get(0);
        ScriptSource source = cursor.source().included(file.source());
        if (including.contains(source.identity())) {
            throw new RunbookSyntaxException(file.place(), "'" + file.source() + "' includes itself", "");
        }
        files++;
        if (including.size() >= RunbookLimits.INCLUDE_DEPTH || files > RunbookLimits.FILES) {
            throw new RunbookSyntaxException(
                    file.place(),
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
}
