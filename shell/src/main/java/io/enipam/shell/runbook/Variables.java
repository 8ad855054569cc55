package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.RunbookHeader.RunbookParameter;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The values of a run by their names, and which of them nobody may see. Not thread-safe. */
final class Variables {
    private final Map<String, VariableValue> values = new HashMap<>();
    private RunbookRedactor shown = new RunbookRedactor();

    /** Takes over what is known before the run. */
    void begin(Runbook runbook) {
        values.putAll(runbook.values());
        shown = RunbookRedactor.of(runbook.header(), values);
    }

    /** The value of a name; an empty text if it has none. */
    VariableValue get(String name) {
        return values.getOrDefault(name, VariableValue.text(""));
    }

    /** Gives a name its value; what came of it if that cannot be. */
    Optional<StepFailure> keep(String name, VariableValue value) {
        if (value.text().length() > RunbookLimits.VALUE) {
            return Optional.of(StepFailure.of(
                    ExitStatus.USAGE,
                    "the value of '" + name + "' has more than " + RunbookLimits.VALUE + " characters"));
        }
        put(name, value);
        return Optional.empty();
    }

    void put(String name, VariableValue value) {
        values.put(name, value);
        shown.is(name, value);
    }

    /** Gives the parameters of a runbook that is included their values, where they have none. */
    void defaults(RunbookHeader header) {
        shown.declared(header);
        for (RunbookParameter parameter : header.parameters()) {
            if (!values.containsKey(parameter.name())) {
                VariableValue value =
                        parameter.type().value(parameter.fallback().orElse(""));
                values.put(parameter.name(), value);
            }
            shown.is(parameter.name(), get(parameter.name()));
        }
    }

    /** All of them for a report, with stars for secrets. */
    Map<String, String> told() {
        Map<String, String> told = new TreeMap<>();
        values.forEach(
                (name, value) -> told.put(name, shown.isSecret(name) ? RunbookRedactor.STARS : hiding(value.text())));
        return told;
    }

    /** A text without secrets. */
    String hiding(String text) {
        return shown.redact(text);
    }

    /** A step's text with values, without secrets. */
    String in(String text) {
        return shown.in(text);
    }

    /** What people may see: values in place of their variables, and stars in place of secrets, wherever they turn up. */
    static final class RunbookRedactor {
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
}
