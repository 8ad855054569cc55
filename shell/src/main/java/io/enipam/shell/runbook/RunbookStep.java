package io.enipam.shell.runbook;

import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A line of a runbook that does something, or a block. */
sealed interface RunbookStep {
    StepSource written();

    /** Whether it changes the daemon, its block aside. */
    default boolean changes() {
        return false;
    }

    /** The steps of its blocks, in their order. */
    default List<RunbookStep> inner() {
        return List.of();
    }

    /** What can be retried. */
    sealed interface Action extends RunbookStep {}

    /** {@code CMD}: it must succeed. */
    record Run(StepSource written, PipelineTemplate pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code ! CMD}: the daemon must say no. */
    record Refused(StepSource written, PipelineTemplate pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code try CMD}: it may be refused, which is told, and the run goes on. */
    record Try(StepSource written, PipelineTemplate pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /** {@code expect CONDITION}. */
    record Expect(StepSource written, Condition condition) implements Action {
        @Override
        public boolean changes() {
            return condition.asks().filter(PipelineTemplate::changes).isPresent();
        }
    }

    /** {@code set NAME = CMD | FILTER}: what is left is one value. */
    record Assign(StepSource written, String name, PipelineTemplate pipe) implements Action {
        @Override
        public boolean changes() {
            return pipe.changes();
        }
    }

    /**
     * {@code retry TIME: ACTION}: it is done again and again until it holds or the time is over. A try that is under way then
     * is not cut short.
     */
    record Retry(StepSource written, WordTemplate within, Action action) implements RunbookStep {
        @Override
        public boolean changes() {
            return action.changes();
        }
    }

    /** {@code if CONDITION ... else ... end}. */
    record If(StepSource written, Condition condition, List<RunbookStep> then, List<RunbookStep> otherwise)
            implements RunbookStep {
        @Override
        public boolean changes() {
            return condition.asks().filter(PipelineTemplate::changes).isPresent();
        }

        @Override
        public List<RunbookStep> inner() {
            return Stream.concat(then.stream(), otherwise.stream()).toList();
        }
    }

    /** {@code for NAME in CMD | FILTER ... end}, or {@code for NAME in list WORD... ... end}. */
    record For(
            StepSource written,
            String name,
            Optional<PipelineTemplate> pipe,
            List<WordTemplate> list,
            List<RunbookStep> body)
            implements RunbookStep {
        @Override
        public boolean changes() {
            return pipe.filter(PipelineTemplate::changes).isPresent();
        }

        @Override
        public List<RunbookStep> inner() {
            return body;
        }
    }

    /** {@code include FILE}, with what is in it. */
    record Include(StepSource written, RunbookHeader header, List<RunbookStep> body) implements RunbookStep {
        @Override
        public List<RunbookStep> inner() {
            return body;
        }
    }

    /** {@code on-error ... end}: done once if a step after it in its file fails. */
    record OnError(StepSource written, List<RunbookStep> body) implements RunbookStep {
        @Override
        public List<RunbookStep> inner() {
            return body;
        }
    }

    /** {@code confirm "QUESTION"}. */
    record Confirm(StepSource written, WordTemplate question) implements RunbookStep {}

    /** {@code echo TEXT}. */
    record Echo(StepSource written, List<WordTemplate> words) implements RunbookStep {}

    /**
     * A step as its author wrote it.
     *
     * @param text on one line, with {@code ${name}} for values
     */
    public record StepSource(SourcePosition place, String text) {}
}
