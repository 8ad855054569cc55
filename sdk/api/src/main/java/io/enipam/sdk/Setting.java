package io.enipam.sdk;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * One setting of a plugin, or one parameter of a {@link Diagnostic}: its name, what is allowed, its default, and what
 * it means. Configuration is checked against it before anything is opened, and {@code plugin info} is printed from it.
 *
 * <p>A setting is a constant of the plugin, and the key to its own value:
 *
 * <pre>{@code
 * static final Setting<Integer> WARM = Setting.wholeNumber("warm_ip_target", 0, 10_000, 5)
 *         .unit("addresses")
 *         .doc("Idle addresses to keep beside those in use.");
 *
 * public List<Setting<?>> settings() { return List.of(WARM); }
 * ...
 * int warm = context.settings().get(WARM);
 * }</pre>
 *
 * <p>In {@code enipam.yaml} it is found under the plugin's id:
 *
 * <pre>
 * plugins:
 *   warm-target-policy:
 *     warm_ip_target: 5
 * </pre>
 *
 * <p>Immutable and thread-safe. Two settings are the same only if they are the same object.
 *
 * @param <T> what a value of it is read as
 */
public final class Setting<T> {
    private static final int LONGEST = 4096;
    /** Java itself would also take other digits, blanks, suffixes and hexadecimal fractions. */
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,10}");

    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]{1,20}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?");

    private final String name;
    private final Syntax<T> syntax;
    private final T usual;
    private final String unit;
    private final String doc;
    private final boolean secret;

    /** What may be written, and how it is read and shown. */
    private record Syntax<T>(
            String allowed,
            List<String> choices,
            boolean list,
            Function<List<String>, T> reader,
            Function<T, String> writer) {}

    private Setting(String name, Syntax<T> syntax, T usual, String unit, String doc, boolean secret) {
        this.name = Text.require("setting name", name, "[a-z][a-z0-9_]{0,63}");
        this.syntax = syntax;
        this.usual = usual;
        this.unit = unit;
        this.doc = doc;
        this.secret = secret;
    }

    private static <T> Setting<T> single(
            String name,
            String allowed,
            List<String> choices,
            T usual,
            Function<String, T> reader,
            Function<T, String> writer) {
        Syntax<T> syntax = new Syntax<>(allowed, choices, false, values -> reader.apply(only(values)), writer);
        return new Setting<>(name, syntax, usual, "", "", false);
    }

    /** A whole number within bounds, both included. */
    public static Setting<Integer> wholeNumber(String name, int least, int most, int usual) {
        String allowed = "a whole number, " + least + " to " + most;
        Function<String, Integer> reader = text -> within(Integer.valueOf(matching(text, WHOLE)), least, most);
        return single(name, allowed, List.of(), usual, reader, String::valueOf);
    }

    /** A decimal number within bounds, both included. */
    public static Setting<Double> decimal(String name, double least, double most, double usual) {
        String allowed = "a number, " + least + " to " + most;
        Function<String, Double> reader = text -> within(Double.valueOf(matching(text, DECIMAL)), least, most);
        return single(name, allowed, List.of(), usual, reader, String::valueOf);
    }

    /**
     * A length of time within bounds, both included, written as {@code 250ms}, {@code 30s}, {@code 5m} or
     * {@code 1h30m}.
     */
    public static Setting<Duration> duration(String name, Duration least, Duration most, Duration usual) {
        String allowed = "a duration, " + DurationText.show(least) + " to " + DurationText.show(most);
        Function<String, Duration> reader = text -> within(DurationText.parse(text), least, most);
        return single(name, allowed, List.of(), usual, reader, DurationText::show);
    }

    /** {@code true} or {@code false}. */
    public static Setting<Boolean> flag(String name, boolean usual) {
        List<String> words = List.of("true", "false");
        Function<String, Boolean> reader = text -> Boolean.valueOf(choice(text, words));
        return single(name, "true or false", words, usual, reader, String::valueOf);
    }

    /** One of a few words. */
    public static Setting<String> choice(String name, List<String> choices, String usual) {
        List<String> words = List.copyOf(choices);
        String allowed = "one of " + String.join(", ", words);
        return single(name, allowed, words, usual, text -> choice(text, words), Function.identity());
    }

    /**
     * Text that matches a regular expression as a whole.
     *
     * @param what the pattern in words, for operators: "a host name"
     */
    public static Setting<String> text(String name, String what, String regex, String usual) {
        Pattern pattern = Pattern.compile(regex);
        return single(name, what, List.of(), usual, text -> matching(text, pattern), Function.identity());
    }

    /**
     * Several texts, each of which matches a regular expression as a whole. A single value counts as a list of one.
     *
     * @param what the pattern in words, for operators: "subnets such as 10.0.0.0/24"
     * @param most how many there may be
     */
    public static Setting<List<String>> texts(String name, String what, String regex, int most, List<String> usual) {
        Pattern pattern = Pattern.compile(regex);
        Function<List<String>, List<String>> reader = values -> {
            if (values.size() > most) {
                throw new IllegalArgumentException(values.size() + " values");
            }
            return values.stream().map(text -> matching(text, pattern)).toList();
        };
        Syntax<List<String>> syntax =
                new Syntax<>(what + ", at most " + most, List.of(), true, reader, values -> String.join(", ", values));
        return new Setting<>(name, syntax, List.copyOf(usual), "", "", false);
    }

    /** The same setting, saying what its value counts: {@code addresses}. */
    public Setting<T> unit(String words) {
        return new Setting<>(name, syntax, usual, words, doc, secret);
    }

    /** The same setting with its meaning, one sentence with a full stop. */
    public Setting<T> doc(String sentence) {
        return new Setting<>(name, syntax, usual, unit, sentence, secret);
    }

    /** The same setting, whose value is never shown, logged or put into an error. */
    public Setting<T> secret() {
        return new Setting<>(name, syntax, usual, unit, doc, true);
    }

    public String name() {
        return name;
    }

    /** What an operator may write: {@code a whole number, 0 to 100 (addresses)}. */
    public String allowed() {
        return unit.isEmpty() ? syntax.allowed : syntax.allowed + " (" + unit + ")";
    }

    /** All that may be written, where that is a short list; else empty. */
    public List<String> choices() {
        return syntax.choices;
    }

    /** Whether a value is a list. */
    public boolean list() {
        return syntax.list;
    }

    /** The value where none is set. */
    public T usual() {
        return usual;
    }

    public String unit() {
        return unit;
    }

    public String doc() {
        return doc;
    }

    /** Whether the value is never shown. */
    public boolean isSecret() {
        return secret;
    }

    /**
     * Reads a value as configuration has it.
     *
     * @param values the scalar's text, or the texts of a list
     * @throws IllegalArgumentException if it is not allowed; the message is for programmers, {@link #allowed()} for
     *     operators
     */
    public T read(List<String> values) {
        return syntax.reader.apply(values);
    }

    /** A value as an operator would write it; {@code ***} for a secret that is set. */
    public String show(T value) {
        String text = syntax.writer.apply(value);
        return secret && !text.isEmpty() ? "***" : text;
    }

    @Override
    public String toString() {
        return name;
    }

    private static String only(List<String> values) {
        if (values.size() != 1) {
            throw new IllegalArgumentException(values.size() + " values where one is allowed");
        }
        return values.get(0);
    }

    private static <T extends Comparable<T>> T within(T value, T least, T most) {
        if (!(value.compareTo(least) >= 0 && value.compareTo(most) <= 0)) {
            throw new IllegalArgumentException(value + " is outside " + least + ".." + most);
        }
        return value;
    }

    private static String choice(String text, List<String> words) {
        if (!words.contains(text)) {
            throw new IllegalArgumentException("not one of " + words);
        }
        return text;
    }

    private static String matching(String text, Pattern pattern) {
        if (text.length() > LONGEST || !pattern.matcher(text).matches()) {
            throw new IllegalArgumentException("does not match " + pattern);
        }
        return text;
    }
}
