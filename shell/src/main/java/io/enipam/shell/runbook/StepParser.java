package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.text.Spans;
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

    private final Names names;
    private final ActionParser actions;
    private final List<Wrong> problems;
    private final List<Header> headers;
    private final BlockParser blocks;
    private final Deque<String> including = new ArrayDeque<>();
    private int files;

    /**
     * @param problems where what is wrong is put
     * @param headers where the headers of what is included are put
     */
    StepParser(Names names, ActionParser actions, List<Wrong> problems, List<Header> headers) {
        this.names = names;
        this.actions = actions;
        this.problems = problems;
        this.headers = headers;
        this.blocks = new BlockParser(this, names, actions, problems);
    }

    /** Reads all of a file. */
    List<Step> file(Source source, List<Line> lines) {
        including.push(source.identity());
        int around = blocks.depth();
        Cursor cursor = new Cursor(source, lines, around);
        List<Step> steps = new ArrayList<>();
        try {
            steps.addAll(block(cursor, Set.of()));
        } catch (BlockParser.TooDeep e) {
            blocks.leaveTo(around);
        }
        including.pop();
        return steps;
    }

    /** Reads steps up to one of these words, which is not read, or the end of the file. */
    List<Step> block(Cursor cursor, Set<String> ends) {
        List<Step> steps = new ArrayList<>();
        for (Optional<Line> next = cursor.peek(); next.isPresent(); next = cursor.peek()) {
            Line line = next.get();
            String word = line.shown().split("\\s+", 2)[0];
            if (ends.contains(word)) {
                return steps;
            }
            cursor.advance();
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
            return blocks.branch(written, rest, cursor);
        } else if (first.is("for")) {
            return blocks.loop(written, rest, cursor);
        } else if (first.is("on-error")) {
            return blocks.guard(written, rest, cursor);
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
            blocks.skipped(new Written(line.start(), line.shown()), cursor);
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
        Source source = cursor.source().included(file.source());
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
