package io.enipam.shell.runbook;

import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import io.enipam.shell.runbook.RunbookHeader.ParameterType;
import io.enipam.shell.runbook.RunbookHeader.RunbookParameter;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Which variables have a value at a line of a runbook, on whatever way the run comes there. Follows the reading. */
final class VariableScope {
    /** What stands for values that only the run will know: one of each kind that a command may want. */
    private static final List<VariableValue> EXAMPLES = Stream.of("x", "default/x", "10.0.0.1", "1", "1s")
            .map(VariableValue::text)
            .toList();

    private static final int MANY = 200;

    /** Why and what a step that failed said, in an {@code on-error}. */
    static final String FAILURE = "failure";

    private final Map<String, String> given;
    private final Map<String, VariableValue> values = new LinkedHashMap<>();
    private final Map<String, ParameterType> parameters = new HashMap<>();
    private final Map<String, SourcePosition> introduced = new LinkedHashMap<>();
    private final Set<String> used = new LinkedHashSet<>();
    private Set<String> defined = new LinkedHashSet<>();

    VariableScope(Map<String, String> given) {
        this.given = given;
    }

    /** Takes the parameters of the runbook itself; none may lack a value if it is {@code complete}. */
    void root(RunbookHeader header, boolean complete, Consumer<RunbookSyntaxException> problems) {
        if (!header.declared()) {
            given.forEach((name, value) -> values.put(name, VariableValue.text(value)));
            defined.addAll(given.keySet());
            return;
        }
        for (RunbookParameter parameter : header.parameters()) {
            declare(parameter);
            String name = parameter.name();
            ParameterType type = parameter.type();
            String text = given.containsKey(name)
                    ? given.get(name)
                    : parameter.fallback().orElse(null);
            if (text != null && type.takes(text)) {
                values.put(name, type.value(text));
            } else if (text != null) {
                String value = parameter.secret() ? "the value" : "'" + text + "'";
                String why = value + " of the parameter '" + name + "' is not " + type.allowed();
                problems.accept(parameter.place().wrong(why, ""));
            } else if (complete) {
                String why = "the parameter '" + name + "' has no value"
                        + (parameter.doc().isEmpty() ? "" : " (" + parameter.doc() + ")");
                problems.accept(parameter.place().wrong(why, "Give it one with -v " + name + "=VALUE"));
            }
        }
    }

    /** Takes the parameters of a file that is included: from what has a value there, or else their defaults. */
    void included(RunbookHeader header, SourcePosition place, Consumer<RunbookSyntaxException> problems) {
        for (RunbookParameter parameter : header.parameters()) {
            String name = parameter.name();
            if (defined.contains(name)) {
                used.add(name);
                continue;
            }
            if (parameter.required()) {
                problems.accept(place.wrong(
                        "what is included needs the variable '" + name + "', and nothing sets it before",
                        "Declare a parameter of this name, or set it"));
            }
            if (!parameters.containsKey(name)) {
                declare(parameter);
            }
        }
    }

    private void declare(RunbookParameter parameter) {
        parameters.put(parameter.name(), parameter.type());
        defined.add(parameter.name());
        introduced.put(parameter.name(), parameter.place());
    }

    void set(String name, SourcePosition place) throws RunbookSyntaxException {
        if (!WordTemplate.isName(name)) {
            throw place.wrong("'" + name + "' is no name of a variable", "One is [A-Za-z_][A-Za-z0-9_-]*");
        }
        if (parameters.containsKey(name) || values.containsKey(name) || name.equals(FAILURE)) {
            throw place.wrong("'" + name + "' is given to the runbook, and is not set by it", "Take another name");
        }
        introduced.putIfAbsent(name, place);
        defined.add(name);
    }

    /** A name that need not be used. */
    void setQuietly(String name, SourcePosition place) throws RunbookSyntaxException {
        if (!name.equals(FAILURE)) {
            set(name, place);
        }
        used.add(name);
        defined.add(name);
    }

    /** Takes for granted that it has a value, since the line that would set it is wrong. */
    void suppose(String name) {
        defined.add(name);
    }

    Set<String> definedNames() {
        return new LinkedHashSet<>(defined);
    }

    /** What has a value after blocks of which one runs, or none. */
    void after(Set<String> names) {
        defined = new LinkedHashSet<>(names);
    }

    /** Holds the variables of words against what has a value here. */
    void use(List<WordTemplate> words) throws RunbookSyntaxException {
        for (WordTemplate word : words) {
            for (String name : word.refs()) {
                used.add(name);
                if (!defined.contains(name)) {
                    throw unknown(name, word.place());
                }
            }
        }
    }

    private RunbookSyntaxException unknown(String name, SourcePosition place) {
        if (introduced.containsKey(name)) {
            return place.wrong(
                    "the variable '" + name + "' may have no value here",
                    "It is set on line " + introduced.get(name).line() + ", which need not have run");
        }
        String otherwise = parameters.isEmpty() ? "Give it one with -v " + name + "=VALUE" : "Declare it, or set it";
        return place.wrong("the variable '" + name + "' has no value", ClosestMatch.hint(name, defined, otherwise));
    }

    /** Ways to fill in values that show whether a command is one: with what is known, and examples of what is not. */
    List<Function<String, VariableValue>> ways(List<WordTemplate> words) {
        List<String> open = words.stream()
                .flatMap(word -> word.refs().stream())
                .distinct()
                .filter(name -> !values.containsKey(name))
                .toList();
        List<Map<String, VariableValue>> ways = new ArrayList<>(List.of(Map.of()));
        for (String name : open) {
            ParameterType type = parameters.get(name);
            List<VariableValue> examples = type == null ? EXAMPLES : List.of(type.example());
            List<Map<String, VariableValue>> longer = new ArrayList<>();
            for (Map<String, VariableValue> way : ways) {
                for (VariableValue example : ways.size() * examples.size() > MANY ? examples.subList(0, 1) : examples) {
                    Map<String, VariableValue> more = new HashMap<>(way);
                    more.put(name, example);
                    longer.add(more);
                }
            }
            ways = longer;
        }
        return ways.stream()
                .map(way -> (Function<String, VariableValue>)
                        name -> way.getOrDefault(name, values.getOrDefault(name, EXAMPLES.get(0))))
                .toList();
    }

    /** Complains of names that are not used: most likely one was mistyped. */
    List<String> unused(String file, RunbookHeader header) {
        List<String> complaints = new ArrayList<>();
        String what = header.declared() ? "it has no parameter '" : "no line uses the variable '";
        Set<String> known = header.declared() ? Set.copyOf(header.names()) : used;
        given.keySet().stream().filter(name -> !known.contains(name)).forEach(name -> {
            String hint = ClosestMatch.to(name, known)
                    .map(other -> ". Did you mean '" + other + "'?")
                    .orElse("");
            complaints.add(file + ": " + what + name + "'" + hint);
        });
        introduced.forEach((name, place) -> {
            if (!used.contains(name)) {
                complaints.add(place + ": nothing uses '" + name + "'. Leave it out, or use ${" + name + "}");
            }
        });
        return complaints;
    }

    Map<String, VariableValue> values() {
        return values;
    }
}
