package io.enipam.shell.runbook;

import io.enipam.shell.runbook.Runbook.Planned;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A step of a runbook, or a block of them, which begins at a {@code line}. */
sealed interface RunbookStep {
    RunbookLine line();

    /** The command that it runs itself, its block aside; empty if it runs none. */
    default Optional<PipelineTemplate> pipe() {
        return Optional.empty();
    }

    /** Whether it changes the daemon, its block aside. */
    default boolean changes() {
        return pipe().filter(PipelineTemplate::changes).isPresent();
    }

    default List<RunbookStep> inner() {
        return List.of();
    }

    default Planned planned(int depth, Variables shown) {
        return new Planned(line().start(), depth, changes(), shown.in(line().shown()));
    }

    /** What can be retried; {@code kind} is its name in reports. */
    sealed interface Action extends RunbookStep {
        String kind();
    }

    /** What a command has to come to; the names are those of reports. */
    enum Wanted {
        /** {@code CMD}: it must succeed. */
        RUN,
        /** {@code ! CMD}: the daemon must refuse it. */
        REFUSED,
        /** {@code try CMD}: the daemon may refuse it, and the run goes on. */
        TRY
    }

    record Run(RunbookLine line, Wanted wanted, PipelineTemplate command) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return Optional.of(command);
        }

        @Override
        public String kind() {
            return wanted.name().toLowerCase(Locale.ROOT);
        }
    }

    /** {@code expect CONDITION}. */
    record Expect(RunbookLine line, Condition condition) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return condition.asks();
        }

        @Override
        public String kind() {
            return "expect";
        }
    }

    /** {@code set NAME = CMD | FILTER}: what is left is one value. */
    record Assign(RunbookLine line, String name, PipelineTemplate command) implements Action {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return Optional.of(command);
        }

        @Override
        public String kind() {
            return "set";
        }
    }

    /** {@code retry TIME: ACTION}: again until it holds or the time is over; a try under way is not cut short. */
    record Retry(RunbookLine line, WordTemplate within, Action action) implements RunbookStep {
        @Override
        public Optional<PipelineTemplate> pipe() {
            return action.pipe();
        }
    }

    /** {@code if CONDITION ... else ... end}. */
    record If(RunbookLine line, Condition condition, List<RunbookStep> then, List<RunbookStep> otherwise)
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
            RunbookLine line,
            String name,
            Optional<PipelineTemplate> pipe,
            List<WordTemplate> list,
            List<RunbookStep> inner)
            implements RunbookStep {}

    /** {@code include FILE}, with what is in it. */
    record Include(RunbookLine line, RunbookHeader header, List<RunbookStep> inner) implements RunbookStep {}

    /** {@code on-error ... end}: done once if a step after it in its file fails. */
    record OnError(RunbookLine line, List<RunbookStep> inner) implements RunbookStep {}

    /** {@code confirm "QUESTION"}. */
    record Confirm(RunbookLine line, WordTemplate question) implements RunbookStep {}

    /** {@code echo TEXT}. */
    record Echo(RunbookLine line, List<WordTemplate> words) implements RunbookStep {}
}
