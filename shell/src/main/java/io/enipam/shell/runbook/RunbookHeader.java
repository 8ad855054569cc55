package io.enipam.shell.runbook;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationParser;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a runbook says before its first step; if {@code declared}, its parameters are all that may be given. */
public record RunbookHeader(
        String name, String description, Optional<Needs> needs, List<RunbookParameter> parameters, boolean declared) {
    /** What a caller has to be allowed. */
    public enum Needs {
        INSPECT,
        CONTROL;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    static final RunbookHeader NONE = new RunbookHeader("", "", Optional.empty(), List.of(), false);

    public RunbookHeader {
        parameters = List.copyOf(parameters);
    }

    List<String> names() {
        return parameters.stream().map(RunbookParameter::name).toList();
    }

    /** A value that a runbook is given, without a fallback one that it requires. */
    public record RunbookParameter(
            SourcePosition place,
            String name,
            ParameterType type,
            Optional<String> fallback,
            boolean secret,
            String doc) {
        public boolean required() {
            return fallback.isEmpty();
        }
    }

    /** The values that a parameter takes; choices only for a choice. */
    public record ParameterType(Kind kind, List<String> choices) {
        private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
        private static final Pattern POD = Pattern.compile("[a-z0-9.-]{1,253}/[a-z0-9.-]{1,253}");
        private static final Pattern ADDRESS =
                Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.|$)){4}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

        /** The types without choices, as they are written in lower case, and the one with them. */
        enum Kind {
            STRING("any text", "x"),
            INTEGER("a whole number", "1"),
            DURATION("a time such as 500ms, 10s or 2m", "1s"),
            BOOLEAN("true or false", "true"),
            POD("a pod, NAMESPACE/NAME", "default/x"),
            ADDRESS("an IP address", "10.0.0.1"),
            CHOICE("", "");

            private final String allowed;
            private final String example;

            Kind(String allowed, String example) {
                this.allowed = allowed;
                this.example = example;
            }

            private String written() {
                return name().toLowerCase(java.util.Locale.ROOT);
            }
        }

        public ParameterType {
            choices = List.copyOf(choices);
        }

        /** Reads {@code integer}, {@code choice(a,b)} and so on; empty if it is no type. */
        static Optional<ParameterType> of(String written) {
            if (written.startsWith("choice(") && written.endsWith(")")) {
                String inside = written.substring("choice(".length(), written.length() - 1);
                List<String> choices = Stream.of(inside.split(","))
                        .map(String::strip)
                        .filter(choice -> !choice.isEmpty())
                        .toList();
                return choices.isEmpty() ? Optional.empty() : Optional.of(new ParameterType(Kind.CHOICE, choices));
            }
            return Stream.of(Kind.values())
                    .filter(kind -> kind != Kind.CHOICE && kind.written().equals(written))
                    .findFirst()
                    .map(kind -> new ParameterType(kind, List.of()));
        }

        boolean takes(String value) {
            return switch (kind) {
                case STRING -> true;
                case INTEGER -> INTEGER.matcher(value).matches();
                case DURATION -> isSpan(value);
                case BOOLEAN -> value.equals("true") || value.equals("false");
                case POD -> POD.matcher(value).matches();
                case ADDRESS -> ADDRESS.matcher(value).matches();
                case CHOICE -> choices.contains(value);
            };
        }

        private static boolean isSpan(String value) {
            try {
                DurationParser.parse(value);
                return true;
            } catch (ShellException no) {
                return false;
            }
        }

        VariableValue value(String text) {
            return new VariableValue(text, kind == Kind.INTEGER);
        }

        /** A value to hold a command against the grammar with, where the real one is not known. */
        VariableValue example() {
            return value(kind == Kind.CHOICE ? choices.get(0) : kind.example);
        }

        public String allowed() {
            return kind == Kind.CHOICE ? "one of " + String.join(", ", choices) : kind.allowed;
        }

        /** As it is written in a header. */
        @Override
        public String toString() {
            return kind == Kind.CHOICE ? "choice(" + String.join(",", choices) + ")" : kind.written();
        }
    }
}
