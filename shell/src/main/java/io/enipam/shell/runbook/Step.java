package io.enipam.shell.runbook;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A line of a runbook that does something, or a block. */
sealed interface Step {
    Written written();

    /** Whether it changes the daemon, its block aside. */
    default boolean changes() {
        return false;
    }

    /** The steps of its blocks, in their order. */
    default List<Step> inner() {
        return List.of();
    }

    /** What can be retried. */
    sealed interface Action extends Step {}

    /** {@code CMD}: it must succeed. */
    record Run(Written written, Pipe pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code ! CMD}: the daemon must say no. */
    record Refused(Written written, Pipe pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code try CMD}: it may be refused, which is told, and the run goes on. */
    record Try(Written written, Pipe pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code expect CONDITION}. */
    record Expect(Written written, Condition condition) implements Action {
        @Override
        public boolean changes() {
            return condition.asks().filter(Pipe::changes).isPresent();
        }
    }

    /** {@code set NAME = CMD | FILTER}: what is left is one value. */
    record Assign(Written written, String name, Pipe pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /**
     * {@code retry TIME: ACTION}: it is done again and again until it holds or the time is over. A try that is under way then
     * is not cut short.
     */
    record Retry(Written written, Word within, Action action) implements Step {
        @Override
        public boolean changes() {
            return action.changes();
        }
    }

    /** {@code if CONDITION ... else ... end}. */
    record If(Written written, Condition condition, List<Step> then, List<Step> otherwise) implements Step {
        @Override
        public boolean changes() {
            return condition.asks().filter(Pipe::changes).isPresent();
        }

        @Override
        public List<Step> inner() {
            return Stream.concat(then.stream(), otherwise.stream()).toList();
        }
    }

    /** {@code for NAME in CMD | FILTER ... end}, or {@code for NAME in list WORD... ... end}. */
    record For(Written written, String name, Optional<Pipe> pipe, List<Word> list, List<Step> body) implements Step {
        @Override
        public boolean changes() {
            return pipe.filter(Pipe::changes).isPresent();
        }

        @Override
        public List<Step> inner() {
            return body;
        }
    }

    /** {@code include FILE}, with what is in it. */
    record Include(Written written, Header header, List<Step> body) implements Step {
        @Override
        public List<Step> inner() {
            return body;
        }
    }

    /** {@code on-error ... end}: done once if a step after it in its file fails. */
    record OnError(Written written, List<Step> body) implements Step {
        @Override
        public List<Step> inner() {
            return body;
        }
    }

    /** {@code confirm "QUESTION"}. */
    record Confirm(Written written, Word question) implements Step {}

    /** {@code echo TEXT}. */
    record Echo(Written written, List<Word> words) implements Step {}
}
