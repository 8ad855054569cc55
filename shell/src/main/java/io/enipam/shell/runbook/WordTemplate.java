package io.enipam.shell.runbook;

import com.google.gson.JsonPrimitive;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A word of a line before any variable has a value; {@code bare} if no part was quoted: it may be a keyword. */
record WordTemplate(SourcePosition place, String source, boolean bare, List<Part> parts) {
    private static final Pattern REFERENCE = Pattern.compile("(\\$?)\\$\\{([^}]*)(}?)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,63}");

    /** Text, or the name of a variable that stands for some. */
    record Part(String text, boolean isName) {}

    /** Where a value is put. */
    enum Within {
        COMMAND,
        JQ,
        PATTERN;

        /** A value as it is written there, so that none of it is read as jq or as a pattern. */
        String written(VariableValue value) {
            return switch (this) {
                case COMMAND -> value.text();
                case JQ -> value.number() ? value.text() : new JsonPrimitive(value.text()).toString();
                case PATTERN -> com.google.re2j.Pattern.quote(value.text());
            };
        }
    }

    static WordTemplate of(SourcePosition place, String source, boolean bare) throws RunbookSyntaxException {
        List<Part> parts = new ArrayList<>();
        Matcher matcher = REFERENCE.matcher(source);
        int end = 0;
        while (matcher.find()) {
            parts.add(new Part(source.substring(end, matcher.start()), false));
            end = matcher.end();
            if (!matcher.group(1).isEmpty()) {
                parts.add(new Part(matcher.group().substring(1), false));
            } else if (matcher.group(3).isEmpty() || !isName(matcher.group(2))) {
                throw place.wrong(
                        "'" + matcher.group() + "' is no variable", "One is ${name}, and $${ is written for ${ itself");
            } else {
                parts.add(new Part(matcher.group(2), true));
            }
        }
        parts.add(new Part(source.substring(end), false));
        return new WordTemplate(place, source, bare, List.copyOf(parts));
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Whether it is exactly this, unquoted. */
    boolean is(String keyword) {
        return bare && source.equals(keyword);
    }

    RunbookSyntaxException wrong(String why, String hint) {
        return place.wrong(why, hint);
    }

    /** What a command, a filter or a value said about itself. */
    RunbookSyntaxException wrong(ShellException e) {
        return new RunbookSyntaxException(place, e);
    }

    /** Reads the word; what the reader finds wrong is wrong here. */
    void require(Runnable reader) throws RunbookSyntaxException {
        try {
            reader.run();
        } catch (ShellException e) {
            throw wrong(e);
        }
    }

    List<String> refs() {
        return parts.stream().filter(Part::isName).map(Part::text).toList();
    }

    boolean beginsWithValue() {
        return parts.stream().filter(part -> !part.text().isEmpty()).limit(1).anyMatch(Part::isName);
    }

    String with(Function<String, VariableValue> values, Within where) {
        return parts.stream()
                .map(part -> part.isName() ? where.written(values.apply(part.text())) : part.text())
                .collect(Collectors.joining());
    }

    /** Words with their values in a command, separated by blanks. */
    static String joined(List<WordTemplate> words, Function<String, VariableValue> values) {
        return words.stream().map(word -> word.with(values, Within.COMMAND)).collect(Collectors.joining(" "));
    }

    /** The same as it would be typed, with the quotes that words need. */
    static String typed(List<WordTemplate> words, Function<String, VariableValue> values) {
        return words.stream()
                .map(word -> CommandLineLexer.quoted(word.with(values, Within.COMMAND), (char) 0, true))
                .collect(Collectors.joining(" "));
    }

    /** The value of a variable; a {@code number} is one in a jq expression too, else it is a string there. */
    record VariableValue(String text, boolean number) {
        static VariableValue text(String text) {
            return new VariableValue(text, false);
        }

        /** Whether it is what jq leaves of a field that is not there. */
        boolean isNull() {
            return text.equals("null");
        }
    }
}
