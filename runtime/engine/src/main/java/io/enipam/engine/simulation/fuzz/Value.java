package io.enipam.engine.simulation.fuzz;

import java.util.List;
import java.util.OptionalInt;

/**
 * A value of a step: a number with a unit, or one of some words. Its least number, or the first word, is the simplest: a shrunk script
 * has it wherever it can, and a number that is the least is not written.
 */
enum Value {
    CONTAINER("container", "", 0, 9_999),
    POD("pod", "", 0, 11),
    /** The API server has a new pod of that name first. */
    CREATED("", "created"),
    /** The new pod's address is kept for a successor. */
    STICKY("", "sticky"),
    /** The caller knows the pod's UID. */
    UID("", "uid"),
    TWICE("", "twice"),
    DRY("", "dry-run"),
    TASKS("tasks", "", 0, 20),
    /** The database is lost with the process. */
    LOST("", "lost"),
    STATE("works", "fails"),
    FACTORY("cloud", "lab", "rack"),
    POLICY("watermark", "random"),
    SEED("seed", "", 0, 999_999),
    /** The policy answers late, and not always. */
    LATE("", "late"),
    MIN("min", "", 0, 2),
    /** The upper watermark above the lower one. */
    ABOVE("above", "", 0, 3),
    CAPACITY("capacity", "", 1, SimulatedNode.CAPACITY),
    /** Which of the engine's factories. */
    ROLE("active", "leaving"),
    /** Which one, in the order of their ids; counted on from the first behind the last. */
    ADDRESS("nth", "", 0, 7),
    ALL("", "all"),
    LISTING("late", "stale", "empty"),
    DELAY("delay", "ms", 0, 3_999),
    DIRECTION("ahead", "back"),
    SPAN("for", "s", 0, 39),
    /** So much time passes behind the step. */
    THEN("then", "ms", 0, 1_999);

    private final String key;
    private final String unit;
    private final List<String> words;
    private final int least;
    private final int most;

    Value(String key, String unit, int least, int most) {
        this.key = key;
        this.unit = unit;
        this.words = List.of();
        this.least = least;
        this.most = most;
    }

    Value(String... words) {
        this.key = "";
        this.unit = "";
        this.words = List.of(words);
        this.least = 0;
        this.most = words.length - 1;
    }

    int least() {
        return least;
    }

    int most() {
        return most;
    }

    /** Whether it names something, so that another number is not simpler. */
    boolean isName() {
        return this == CONTAINER;
    }

    /** As it is written; empty text for what is not. */
    String text(int number) {
        if (!words.isEmpty()) {
            return words.get(number);
        }
        return number == least && !isName() ? "" : key + "=" + number + unit;
    }

    /** The number that a text stands for; empty if it is another value's. */
    OptionalInt read(String text) {
        if (!words.isEmpty()) {
            int index = text.isEmpty() ? -1 : words.indexOf(text);
            return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
        }
        if (!text.startsWith(key + "=") || !text.endsWith(unit)) {
            return OptionalInt.empty();
        }
        String digits = text.substring(key.length() + 1, text.length() - unit.length());
        if (!digits.matches("[0-9]{1,7}") || Integer.parseInt(digits) < least || Integer.parseInt(digits) > most) {
            throw new IllegalArgumentException("'" + text + "': " + key + " is a whole number from " + least + " to "
                    + most + (unit.isEmpty() ? "" : " with " + unit + " behind it"));
        }
        return OptionalInt.of(Integer.parseInt(digits));
    }

    /** How it may be written, for a message. */
    String form() {
        return words.isEmpty() ? key + "=N" + unit : String.join("|", words).replaceFirst("^\\|", "");
    }
}
