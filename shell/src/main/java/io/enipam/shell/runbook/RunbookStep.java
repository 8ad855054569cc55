package io.enipam.shell.runbook;

import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A line of a runbook that does something, or a block. */
sealed interface RunbookStep {
    StepSource written();

    /** The command that it runs itself, its block aside; empty if it runs none. */
    default Optional<PipelineTemplate> pipe() {
        return Optional.empty();
    }

    /** Whether it changes the daemon, its block aside. */
    default boolean changes() {
        return pipe().filter(PipelineTemplate::changes).isPresent();
    }

    /** The steps of its blocks, in their order. */
    default List<RunbookStep> inner() {
        return List.of();
    }

    /** A step as its author wrote it, on one line, with {@code ${name}} for values. */
    record StepSource(SourcePosition place, String text) {
        RunbookSyntaxException wrong(String why, String hint) {
            return place.wrong(why, hint);
        }
    }

    /** What can be retried. */
    sealed interface Action extends RunbookStep {}

    /** What a command has to come to; the names are those of reports. */
    enum Outcome {
        /** {@code CMD}: it must succeed. */
        RUN,
        /** {@code ! CMD}: the daemon must refuse it. */
        REFUSED,
        /** {@code try CMD}: the daemon may refuse it, and the run goes on. */
        TRY
    }

    record Run(StepSource written, Outcome wanted, PipelineTemplate command) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return Optional.of(command);
        }
    }

    /** {@code expect CONDITION}. */
    record Expect(StepSource written, Condition condition) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return condition.asks();
        }
    }

    /** {@code set NAME = CMD | FILTER}: what is left is one value. */
    record Assign(StepSource written, String name, PipelineTemplate command) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return Optional.of(command);
        }
    }

    /**
     * {@code retry TIME: ACTION}: again and again until it holds or the time is over; a try under way is not cut short.
     */
    record Retry(StepSource written, WordTemplate within, Action action) implements RunbookStep {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return action.pipe();
        }
    }

    /** {@code if CONDITION ... else ... end}. */
    record If(StepSource written, Condition condition, List<RunbookStep> then, List<RunbookStep> otherwise)
            implements RunbookStep {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return condition.asks();
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
            List<RunbookStep> inner)
            implements RunbookStep {}

    /** {@code include FILE}, with what is in it. */
    record Include(StepSource written, RunbookHeader header, List<RunbookStep> inner) implements RunbookStep {}

    /** {@code on-error ... end}: done once if a step after it in its file fails. */
    record OnError(StepSource written, List<RunbookStep> inner) implements RunbookStep {}

    /** {@code confirm "QUESTION"}. */
    record Confirm(StepSource written, WordTemplate question) implements RunbookStep {}

    /** {@code echo TEXT}. */
    record Echo(StepSource written, List<WordTemplate> words) implements RunbookStep {}
}
