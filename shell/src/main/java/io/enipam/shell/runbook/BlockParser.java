package io.enipam.shell.runbook;

import io.enipam.shell.runbook.RunbookStep.StepSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what stands between {@code if}, {@code for} or {@code on-error} and its {@code end}. */
final class BlockParser {
    private final StepParser steps;
    private final VariableScope names;
    private final ActionParser actions;
    private final List<RunbookSyntaxException> problems;
    private int depth;

    /** @param steps reads what is in a block */
    BlockParser(StepParser steps, VariableScope names, ActionParser actions, List<RunbookSyntaxException> problems) {
        this.steps = steps;
        this.names = names;
        this.actions = actions;
        this.problems = problems;
    }

    /** In how many blocks the next step stands, those around the file's include among them. */
    int depth() {
        return depth;
    }

    /** Leaves the blocks that a file did not end. */
    void leaveTo(int around) {
        depth = around;
    }

    /** Ends the reading of a file whose blocks nobody can follow any more. */
    static final class TooDeep extends RuntimeException {
        private static final long serialVersionUID = 1L;
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
                throw new RunbookSyntaxException(
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
                    throw new RunbookSyntaxException(
                            words.get(2).place(),
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
            throw new RunbookSyntaxException(written.place(), "there is no step in it", "");
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
            problems.add(new RunbookSyntaxException(
                    words.get(0).place(), "nothing stands behind on-error", "Its steps are on the next lines"));
        }
        boolean second = cursor.guard();
        if (depth > cursor.around() || second) {
            problems.add(new RunbookSyntaxException(
                    written.place(),
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

    /** Reads a block whose first line is wrong, so that what is in it is told, too. */
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
            problems.add(new RunbookSyntaxException(
                    cursor.last().start(),
                    "blocks stand in each other more than " + RunbookLimits.BLOCK_DEPTH + " deep",
                    "Put the inner ones into a runbook of their own, and include it"));
            throw new TooDeep();
        }
        List<RunbookStep> inside = steps.block(cursor, ends);
        depth--;
        return inside;
    }

    private void closed(StepSource written, LineCursor cursor) {
        if (cursor.peek().isEmpty()) {
            problems.add(new RunbookSyntaxException(
                    written.place(),
                    "'" + written.text().split("\\s", 2)[0] + "' has no 'end'",
                    "Put one after its last step"));
            return;
        }
        alone(cursor, "end");
    }

    /** Reads a line that is this word and nothing else. */
    private void alone(LineCursor cursor, String word) {
        cursor.advance();
        try {
            List<WordTemplate> words = RunbookLexer.words(cursor.last(), 0);
            if (words.size() > 1) {
                throw new RunbookSyntaxException(words.get(1).place(), "nothing stands behind '" + word + "'", "");
            }
        } catch (RunbookSyntaxException e) {
            problems.add(e);
        }
    }
}
