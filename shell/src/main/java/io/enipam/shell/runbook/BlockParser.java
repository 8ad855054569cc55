package io.enipam.shell.runbook;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what stands between {@code if}, {@code for} or {@code on-error} and its {@code end}. */
final class BlockParser {
    private final StepParser steps;
    private final Names names;
    private final ActionParser actions;
    private final List<Wrong> problems;
    private int depth;

    /** @param steps reads what is in a block */
    BlockParser(StepParser steps, Names names, ActionParser actions, List<Wrong> problems) {
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
    Step.If branch(Written written, List<Word> words, Cursor cursor) throws Wrong {
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
        if (cursor.isAtElse()) {
            alone(cursor, "else");
            otherwise = inner(cursor, Set.of("end"));
        }
        after.retainAll(names.here());
        names.after(after);
        closed(written, cursor);
        requireSteps(written, then.isEmpty() && otherwise.isEmpty(), known);
        return new Step.If(written, condition.orElseGet(Condition.Nothing::new), then, otherwise);
    }

    /** {@code for NAME in ...}, up to its end. */
    Step.For loop(Written written, List<Word> words, Cursor cursor) throws Wrong {
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

    /** {@code on-error}, up to its end. */
    Step.OnError guard(Written written, List<Word> words, Cursor cursor) throws Wrong {
        Set<String> before = names.here();
        if (!words.isEmpty()) {
            problems.add(new Wrong(
                    words.get(0).place(), "nothing stands behind on-error", "Its steps are on the next lines"));
        }
        boolean second = cursor.guard();
        if (depth > cursor.around() || second) {
            problems.add(new Wrong(
                    written.place(),
                    second ? "there is an on-error in this file already" : "on-error stands in no other block",
                    "It is for all steps of the file that come after it"));
        }
        names.setQuietly(Names.FAILURE, written.place());
        int known = problems.size();
        List<Step> body = inner(cursor, Set.of("end"));
        names.after(before);
        closed(written, cursor);
        requireSteps(written, body.isEmpty(), known);
        return new Step.OnError(written, body);
    }

    /** Reads a block whose first line is wrong, so that what is in it is told, too. */
    void skipped(Written written, Cursor cursor) {
        inner(cursor, Set.of("end", "else"));
        if (cursor.isAtElse()) {
            cursor.advance();
            inner(cursor, Set.of("end"));
        }
        closed(written, cursor);
    }

    private List<Step> inner(Cursor cursor, Set<String> ends) {
        depth++;
        if (depth > Limits.BLOCK_DEPTH) {
            problems.add(new Wrong(
                    cursor.last().start(),
                    "blocks stand in each other more than " + Limits.BLOCK_DEPTH + " deep",
                    "Put the inner ones into a runbook of their own, and include it"));
            throw new TooDeep();
        }
        List<Step> inside = steps.block(cursor, ends);
        depth--;
        return inside;
    }

    private void closed(Written written, Cursor cursor) {
        if (cursor.peek().isEmpty()) {
            problems.add(new Wrong(
                    written.place(),
                    "'" + written.text().split("\\s", 2)[0] + "' has no 'end'",
                    "Put one after its last step"));
            return;
        }
        alone(cursor, "end");
    }

    /** Reads a line that is this word and nothing else. */
    private void alone(Cursor cursor, String word) {
        cursor.advance();
        try {
            List<Word> words = Lexer.words(cursor.last(), 0);
            if (words.size() > 1) {
                throw new Wrong(words.get(1).place(), "nothing stands behind '" + word + "'", "");
            }
        } catch (Wrong e) {
            problems.add(e);
        }
    }
}
