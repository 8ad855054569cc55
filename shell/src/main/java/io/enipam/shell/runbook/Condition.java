package io.enipam.shell.runbook;

import java.util.Optional;

/** What may hold or not. */
sealed interface Condition {
    /** The command it asks; empty if it compares values alone. */
    Optional<Pipe> asks();

    /** {@code CMD | FILTER SIGN VALUE}: what the last filter leaves, which is one value, compares so. */
    record Compared(Pipe pipe, Sign sign, Word value) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD | jq EXPR}: it is true. */
    record True(Pipe pipe) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD | grep PATTERN}: a line is left. */
    record Printed(Pipe pipe) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code CMD}: the daemon does it. */
    record Done(Pipe pipe) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.of(pipe);
        }
    }

    /** {@code VALUE SIGN VALUE}. */
    record Values(Word left, Sign sign, Word right) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.empty();
        }
    }

    /** {@code ! CONDITION}: it does not hold. */
    record Not(Condition condition) implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return condition.asks();
        }
    }

    /** What stands for a condition that was not understood, in a runbook that will not run. */
    record Nothing() implements Condition {
        @Override
        public Optional<Pipe> asks() {
            return Optional.empty();
        }
    }
}
