package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The values of a run by their names, and which of them nobody may see. Not thread-safe. */
final class Values {
    private final Map<String, Value> values = new HashMap<>();
    private Shown shown = new Shown();

    /** Takes over what is known before the run. */
    void begin(Runbook runbook) {
        values.putAll(runbook.values());
        shown = Shown.of(runbook.header(), values);
    }

    /** The value of a name; an empty text if it has none. */
    Value get(String name) {
        return values.getOrDefault(name, Value.text(""));
    }

    /** Gives a name its value; what came of it if that cannot be. */
    Optional<Failure> keep(String name, Value value) {
        if (value.text().length() > Limits.VALUE) {
            return Optional.of(Failure.of(
                    Exit.USAGE, "the value of '" + name + "' has more than " + Limits.VALUE + " characters"));
        }
        put(name, value);
        return Optional.empty();
    }

    void put(String name, Value value) {
        values.put(name, value);
        shown.is(name, value);
    }

    /** Gives the parameters of a runbook that is included their values, where they have none. */
    void defaults(Header header) {
        shown.declared(header);
        for (Parameter parameter : header.parameters()) {
            if (!values.containsKey(parameter.name())) {
                Value value = parameter.type().value(parameter.fallback().orElse(""));
                values.put(parameter.name(), value);
            }
            shown.is(parameter.name(), get(parameter.name()));
        }
    }

    /** All of them for a report, with stars for secrets. */
    Map<String, String> told() {
        Map<String, String> told = new TreeMap<>();
        values.forEach((name, value) -> told.put(name, shown.isSecret(name) ? Shown.STARS : hiding(value.text())));
        return told;
    }

    /** A text without secrets. */
    String hiding(String text) {
        return shown.hiding(text);
    }

    /** A step's text with values, without secrets. */
    String in(String text) {
        return shown.in(text);
    }
}
