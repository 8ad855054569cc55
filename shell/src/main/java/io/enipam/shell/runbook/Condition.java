package io.enipam.shell.runbook;

import java.util.Optional;

/** What may hold or not. */
sealed interface Condition {
    /** The command it asks; empty if it compares values alone. */
    Optional<PipelineTemplate> asks();

    /** {@code CMD | FILTER SIGN VALUE}: what the last filter leaves, which is one value, compares so. */
    record Compared(PipelineTemplate pipe, ComparisonOperator sign, WordTemplate value) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD | jq EXPR}: it is true. */
    record True(PipelineTemplate pipe) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD | grep PATTERN}: a line is left. */
    record Printed(PipelineTemplate pipe) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD}: the daemon does it. */
    record Done(PipelineTemplate pipe) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code VALUE SIGN VALUE}. */
    record Values(WordTemplate left, ComparisonOperator sign, WordTemplate right) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.empty();
        }
    }

    /** {@code ! CONDITION}: it does not hold. */
    record Not(Condition condition) implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return condition.asks();
        }
    }

    /** What stands for a condition that was not understood, in a runbook that will not run. */
    record Nothing() implements Condition {
        @Override
        public Optional<PipelineTemplate> asks() {
            return Optional.empty();
        }
    }
}
