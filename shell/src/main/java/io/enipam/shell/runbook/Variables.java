package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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
}
