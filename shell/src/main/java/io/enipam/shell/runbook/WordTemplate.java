package io.enipam.shell.runbook;

import com.google.gson.JsonPrimitive;
import com.google.re2j.Pattern;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;

/**
 * A word of a line, split off before any variable has a value; {@code bare} if no part was quoted, so that it may be a
 * keyword or a sign.
 */
record WordTemplate(SourcePosition place, String source, boolean bare, List<Part> parts) {
    private static final java.util.regex.Pattern REFERENCE = java.util.regex.Pattern.compile("(\\$?)\\$\\{([^}]*)(}?)");
    private static final java.util.regex.Pattern NAME = java.util.regex.Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,63}");

    /** Text, or what stands for some. */
    sealed interface Part {}

    record Text(String text) implements Part {}

    record Ref(String name) implements Part {}

    /** What a value has to be where it is put. */
    enum Within {
        /** Itself. */
        COMMAND {
            @Override
            String written(VariableValue value) {
                return value.text();
            }
        },
        /** A JSON string, or a number, so that no value is read as jq. */
        JQ {
            @Override
            String written(VariableValue value) {
                return value.number() ? value.text() : new JsonPrimitive(value.text()).toString();
            }
        },
        /** Itself for grep, whatever a pattern would make of it. */
        PATTERN {
            @Override
            String written(VariableValue value) {
                return Pattern.quote(value.text());
            }
        };

        abstract String written(VariableValue value);
    }

    static WordTemplate of(SourcePosition place, String source, boolean bare) throws RunbookSyntaxException {
        List<Part> parts = new ArrayList<>();
        Matcher matcher = REFERENCE.matcher(source);
        int end = 0;
        while (matcher.find()) {
            parts.add(new Text(source.substring(end, matcher.start())));
            end = matcher.end();
            if (!matcher.group(1).isEmpty()) {
                parts.add(new Text(matcher.group().substring(1)));
            } else if (matcher.group(3).isEmpty() || !isName(matcher.group(2))) {
                throw place.wrong(
                        "'" + matcher.group() + "' is no variable", "One is ${name}, and $${ is written for ${ itself");
            } else {
                parts.add(new Ref(matcher.group(2)));
            }
        }
        parts.add(new Text(source.substring(end)));
        return new WordTemplate(place, source, bare, List.copyOf(parts));
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Whether it is exactly this, unquoted. */
    boolean is(String keyword) {
        return bare && source.equals(keyword);
    }

    /** The error that something is wrong here; the hint may be empty. */
    RunbookSyntaxException wrong(String why, String hint) {
        return place.wrong(why, hint);
    }

    List<String> refs() {
        return parts.stream()
                .filter(Ref.class::isInstance)
                .map(part -> ((Ref) part).name())
                .toList();
    }

    /** Whether a value may begin it. */
    boolean beginsWithValue() {
        for (Part part : parts) {
            if (part instanceof Ref) {
                return true;
            }
            if (!((Text) part).text().isEmpty()) {
                return false;
            }
        }
        return false;
    }

    /** The word with its values in it. */
    String with(Function<String, VariableValue> values, Within where) {
        StringBuilder text = new StringBuilder();
        for (Part part : parts) {
            text.append(part instanceof Ref ref ? where.written(values.apply(ref.name())) : ((Text) part).text());
        }
        return text.toString();
    }

    /** The value of a variable; a {@code number} is one in a jq expression too, else it is a string there. */
    record VariableValue(String text, boolean number) {
        static VariableValue text(String text) {
            return new VariableValue(text, false);
        }
    }
}
