package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.text.Nearest;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The variables of a runbook: {@code ${name}} stands for its value, {@code $${name}} for itself. */
final class Variables {
    private static final Pattern REFERENCE = Pattern.compile("(\\$?)\\$\\{([^}]*)(}?)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]*");

    private final Map<String, String> values;
    private final Set<String> seen = new LinkedHashSet<>();

    Variables(Map<String, String> values) {
        this.values = values;
    }

    /** The text with the values in it; throws a usage error for what has none. */
    String in(String text) {
        return REFERENCE.matcher(text).replaceAll(match -> Matcher.quoteReplacement(value(match)));
    }

    /** The text with the values that there are, for showing it. */
    String shownIn(String text) {
        return REFERENCE
                .matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(
                        match.group(1).isEmpty() ? values.getOrDefault(match.group(2), match.group()) : match.group()));
    }

    private String value(MatchResult match) {
        if (!match.group(1).isEmpty()) {
            return match.group().substring(1);
        }
        String name = match.group(2);
        if (match.group(3).isEmpty() || !NAME.matcher(name).matches()) {
            throw usage("'" + match.group() + "' is no variable", "One is ${name}, and $${ is written for ${ itself");
        }
        seen.add(name);
        String value = values.get(name);
        if (value == null) {
            throw usage("the variable '" + name + "' has no value", "Give it one with -v " + name + "=VALUE");
        }
        return value;
    }

    /** Complains of values for variables that are nowhere: most likely a name was mistyped. */
    Set<String> unusedValues() {
        Set<String> complaints = new LinkedHashSet<>();
        for (String name : values.keySet()) {
            if (!seen.contains(name)) {
                complaints.add("no line uses the variable '" + name + "'"
                        + Nearest.to(name, seen)
                                .map(near -> ". Did you mean '" + near + "'?")
                                .orElse(""));
            }
        }
        return complaints;
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(Exit.USAGE, "", why, hint);
    }
}
