package io.enipam.engine.simulation.fuzz;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A step of a script: {@code 17 add container=3 pod=4 created then=1234ms}.
 *
 * @param number from 1 to 999999; with the script's seed it decides what its outside draws during the step, so that it stays the same
 *     where other steps are left out
 * @param values those that are not the least
 */
public record Step(int number, Action action, Map<Value, Integer> values) {
    private static final int MOST = 999_999;

    public Step {
        Map<Value, Integer> set = new EnumMap<>(Value.class);
        values.forEach((value, at) -> {
            if (!action.parameters().contains(value) || at < value.least() || at > value.most()) {
                throw new IllegalArgumentException(action.word() + " has no " + value + " of " + at);
            }
            if (at != value.least()) {
                set.put(value, at);
            }
        });
        values = Collections.unmodifiableMap(set);
    }

    /** What a value of its is: a number, or that of a word. */
    int value(Value value) {
        return values.getOrDefault(value, value.least());
    }

    /** Whether a value is not its simplest, as a word that stands there. */
    boolean has(Value value) {
        return value(value) != value.least();
    }

    /** The same with another value. */
    Step with(Value value, int number) {
        Map<Value, Integer> changed = new EnumMap<>(Value.class);
        changed.putAll(values);
        changed.put(value, number);
        return new Step(this.number, action, changed);
    }

    Step numbered(int other) {
        return new Step(other, action, values);
    }

    /** As it stands in a script. */
    public String text() {
        return Stream.concat(
                        Stream.of(Integer.toString(number), action.word()),
                        action.parameters().stream().map(value -> value.text(value(value))))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** Reads one. Throws IllegalArgumentException, which says what is wrong and what would be right. */
    static Step parse(String line) {
        List<String> words = List.of(line.strip().split("\\s+"));
        if (words.size() < 2 || !words.get(0).matches("[0-9]{1,6}") || Integer.parseInt(words.get(0)) == 0) {
            throw new IllegalArgumentException("a step is NUMBER ACTION VALUE..., with a number from 1 to " + MOST
                    + ", as in '1 add pod=3 created'");
        }
        Action action = Action.of(words.get(1))
                .orElseThrow(() -> new IllegalArgumentException("there is no action '" + words.get(1) + "'; there are "
                        + Stream.of(Action.values()).map(Action::word).collect(Collectors.joining(", "))));
        Map<Value, Integer> values = new EnumMap<>(Value.class);
        words.subList(2, words.size()).forEach(word -> read(action, word, values));
        return new Step(Integer.parseInt(words.get(0)), action, values);
    }

    private static void read(Action action, String word, Map<Value, Integer> values) {
        for (Value value : action.parameters()) {
            OptionalInt number = value.read(word);
            if (number.isPresent()) {
                if (values.put(value, number.getAsInt()) != null) {
                    throw new IllegalArgumentException("'" + word + "' is said twice");
                }
                return;
            }
        }
        throw new IllegalArgumentException("'" + word + "' is no value of " + action.word() + "; there are "
                + action.parameters().stream().map(Value::form).collect(Collectors.joining(", ")));
    }

    @Override
    public String toString() {
        return text();
    }
}
