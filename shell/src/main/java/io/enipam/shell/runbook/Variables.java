package io.enipam.shell.runbook;

import com.google.gson.JsonPrimitive;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.RunbookHeader.RunbookParameter;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The values of a run by name; reports have stars in place of secrets, wherever they turn up. Not thread-safe. */
final class Variables {
    private static final String STARS = "***";
    private static final Pattern REFERENCE = Pattern.compile("(\\$?)\\$\\{([^}]*)}");

    private final Map<String, VariableValue> values = new HashMap<>();
    private final Set<String> secretNames = new HashSet<>();
    private List<String> secrets = List.of();

    Variables with(RunbookHeader header, Map<String, VariableValue> known) {
        declare(header);
        known.forEach(this::put);
        return this;
    }

    /** Learns which names are secret, before their values. */
    void declare(RunbookHeader header) {
        header.parameters().stream()
                .filter(RunbookParameter::secret)
                .map(RunbookParameter::name)
                .forEach(secretNames::add);
    }

    VariableValue get(String name) {
        return values.getOrDefault(name, VariableValue.text(""));
    }

    /** Gives a name its value; throws a usage error for one that is too long. */
    void keep(String name, VariableValue value) {
        if (value.text().length() > RunbookLimits.VALUE) {
            throw ShellException.usage(
                    "the value of '" + name + "' has more than " + RunbookLimits.VALUE + " characters", "");
        }
        put(name, value);
    }

    void put(String name, VariableValue value) {
        values.put(name, value);
        if (secretNames.contains(name) && !value.text().isEmpty()) {
            Set<String> all = new HashSet<>(secrets);
            all.add(value.text());
            // what JSON makes of it, should it come back in an answer
            String quoted = new JsonPrimitive(value.text()).toString();
            all.add(quoted.substring(1, quoted.length() - 1));
            // the longest first: one secret may be the beginning of another
            secrets = all.stream()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList();
        }
    }

    /** Gives the parameters of a runbook that is included their values, where they have none. */
    void defaults(RunbookHeader header) {
        declare(header);
        for (RunbookParameter parameter : header.parameters()) {
            VariableValue fallback = parameter.type().value(parameter.fallback().orElse(""));
            put(parameter.name(), values.getOrDefault(parameter.name(), fallback));
        }
    }

    Map<String, String> shown() {
        Map<String, String> shown = new TreeMap<>();
        values.forEach((name, value) -> shown.put(name, secretNames.contains(name) ? STARS : redact(value.text())));
        return shown;
    }

    String redact(String text) {
        String hidden = text;
        for (String secret : secrets) {
            hidden = hidden.replace(secret, STARS);
        }
        return hidden;
    }

    /** A step's text with values, without secrets. */
    String in(String written) {
        return redact(REFERENCE.matcher(written).replaceAll(match -> {
            VariableValue value = match.group(1).isEmpty() ? values.get(match.group(2)) : null;
            return Matcher.quoteReplacement(value == null ? match.group() : value.text());
        }));
    }
}
