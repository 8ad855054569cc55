package io.enipam.shell.runbook;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What people may see: values in place of their variables, and stars in place of secrets, wherever they turn up. */
final class RunbookRedactor {
    static final String STARS = "***";

    private static final Pattern REFERENCE = Pattern.compile("(\\$?)\\$\\{([^}]*)}");

    private final Map<String, String> values = new HashMap<>();
    private final Set<String> secretNames = new HashSet<>();
    private List<String> secrets = List.of();

    static RunbookRedactor of(RunbookHeader header, Map<String, VariableValue> values) {
        RunbookRedactor shown = new RunbookRedactor();
        shown.declared(header);
        values.forEach(shown::is);
        return shown;
    }

    /** Learns which names are secret; before their values are told. */
    void declared(RunbookHeader header) {
        header.parameters().stream()
                .filter(RunbookParameter::secret)
                .map(RunbookParameter::name)
                .forEach(secretNames::add);
    }

    boolean isSecret(String name) {
        return secretNames.contains(name);
    }

    void is(String name, VariableValue value) {
        values.put(name, value.text());
        if (isSecret(name) && !value.text().isEmpty()) {
            Set<String> all = new HashSet<>(secrets);
            all.add(value.text());
            // what JSON makes of it, should it come back in an answer
            String quoted = new com.google.gson.JsonPrimitive(value.text()).toString();
            all.add(quoted.substring(1, quoted.length() - 1));
            // the longest first: one secret may be the beginning of another
            secrets = all.stream()
                    .sorted(Comparator.comparingInt(String::length).reversed())
                    .toList();
        }
    }

    /** A line as it is written, with values and without secrets. */
    String in(String written) {
        return redact(REFERENCE
                .matcher(written)
                .replaceAll(match -> Matcher.quoteReplacement(
                        match.group(1).isEmpty()
                                ? values.getOrDefault(match.group(2), match.group())
                                : match.group())));
    }

    /** Any text without secrets. */
    String redact(String text) {
        String hidden = text;
        for (String secret : secrets) {
            hidden = hidden.replace(secret, STARS);
        }
        return hidden;
    }
}
