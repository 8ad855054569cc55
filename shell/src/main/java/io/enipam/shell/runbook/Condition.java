package io.enipam.shell.runbook;

import com.google.re2j.PatternSyntaxException;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What may hold or not. */
sealed interface Condition {
    /** The command it asks; empty if it compares values alone. */
    default Optional<PipelineTemplate> asks() {
        return this instanceof Asking asking
                ? Optional.of(asking.pipe())
                : this instanceof Not not ? not.condition().asks() : Optional.empty();
    }

    sealed interface Asking extends Condition {
        PipelineTemplate pipe();
    }

    /** {@code CMD | FILTER SIGN VALUE}: what the last filter leaves, which is one value, compares so. */
    record Compared(PipelineTemplate pipe, ComparisonOperator sign, WordTemplate value) implements Asking {}

    /** {@code CMD | jq EXPR}: it is true. */
    record True(PipelineTemplate pipe) implements Asking {}

    /** {@code CMD | grep PATTERN}: a line is left. */
    record Printed(PipelineTemplate pipe) implements Asking {}

    /** {@code CMD}: the daemon does it. */
    record Done(PipelineTemplate pipe) implements Asking {}

    /** {@code VALUE SIGN VALUE}. */
    record Values(WordTemplate left, ComparisonOperator sign, WordTemplate right) implements Condition {}

    /** {@code ! CONDITION}: it does not hold. */
    record Not(Condition condition) implements Condition {}

    /** What stands for a condition that was not understood, in a runbook that will not run. */
    record Nothing() implements Condition {}

    /** How two values are compared. Two numbers are compared as numbers, two times as times, all else as text. */
    enum ComparisonOperator {
        EQUAL("=="),
        UNEQUAL("!="),
        LESS("<"),
        AT_MOST("<="),
        MORE(">"),
        AT_LEAST(">="),
        MATCHES("=~"),
        CONTAINS("contains");

        private static final Predicate<String> IS_NUMBER = Pattern.compile(
                        "-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?")
                .asMatchPredicate();
        private static final Predicate<String> IS_SECONDS =
                Pattern.compile("-?[0-9]{1,15}(\\.[0-9]{1,9})?s").asMatchPredicate();

        private final String written;

        ComparisonOperator(String written) {
            this.written = written;
        }

        static Optional<ComparisonOperator> of(WordTemplate word) {
            return Stream.of(values()).filter(sign -> word.is(sign.written)).findFirst();
        }

        /** Whether it holds. Throws a usage error if the two have no order, or the right one is no pattern. */
        boolean test(String left, String right) {
            return switch (this) {
                case EQUAL -> same(left, right);
                case UNEQUAL -> !same(left, right);
                case LESS -> order(left, right) < 0;
                case AT_MOST -> order(left, right) <= 0;
                case MORE -> order(left, right) > 0;
                case AT_LEAST -> order(left, right) >= 0;
                case MATCHES -> pattern(right).matcher(left).find();
                case CONTAINS -> left.contains(right);
            };
        }

        static com.google.re2j.Pattern pattern(String text) {
            try {
                return com.google.re2j.Pattern.compile(text);
            } catch (PatternSyntaxException e) {
                throw ShellException.usage("'" + text + "' is no pattern: " + e.getDescription(), "It is one of RE2");
            }
        }

        private static boolean same(String left, String right) {
            return compared(left, right).map(order -> order == 0).orElseGet(() -> left.equals(right));
        }

        private int order(String left, String right) {
            String pair = "'" + left + "' " + written + " '" + right + "'";
            return compared(left, right)
                    .orElseThrow(
                            () -> ShellException.usage(pair + " compares what are not two numbers or two times", ""));
        }

        private static Optional<Integer> compared(String left, String right) {
            return IS_NUMBER.test(left) && IS_NUMBER.test(right)
                    ? Optional.of(new BigDecimal(left).compareTo(new BigDecimal(right)))
                    : seconds(left).flatMap(a -> seconds(right).map(a::compareTo));
        }

        /** A time as a daemon writes it, {@code 1.5s}, or in short form, {@code 2m}. */
        private static Optional<BigDecimal> seconds(String text) {
            if (IS_SECONDS.test(text)) {
                return Optional.of(new BigDecimal(text.substring(0, text.length() - 1)));
            }
            try {
                return Optional.of(BigDecimal.valueOf(DurationParser.parse(text).toMillis(), 3));
            } catch (ShellException none) {
                return Optional.empty();
            }
        }

        @Override
        public String toString() {
            return written;
        }
    }
}
