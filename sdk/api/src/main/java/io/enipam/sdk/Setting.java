package io.enipam.sdk;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,63}");

    /** Java itself would also take other digits, blanks, suffixes and hexadecimal fractions. */
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,10}");

    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]{1,20}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?");

    private final String name;
    private final Syntax<T> syntax;
    private final T usual;
    private final Notes notes;

    /** How a value is written in {@code enipam.yaml}. */
    public enum Shape {
        /** One value. */
        SCALAR,
        /** A list of values; one value counts as a list of one. */
        LIST,
        /** Names and values. */
        MAP,
        /** A list of maps, each with the same names. */
        RECORDS
    }

    /** What may be written, and how it is read and shown. */
    private record Syntax<T>(
            String allowed,
            List<String> choices,
            Shape shape,
            Function<List<String>, T> reader,
            Function<T, String> writer) {}

    /** What is said of a setting beside its syntax. */
    private record Notes(String unit, String doc, boolean secret, boolean live) {
        static final Notes NONE = new Notes("", "", false, false);
    }

    private Setting(String name, Syntax<T> syntax, T usual, Notes notes) {
        this.name = Text.require("setting name", name, NAME);
        this.syntax = syntax;
        this.usual = usual;
        this.notes = notes;
    }

    private static <T> Setting<T> single(
            String name,
            String allowed,
            List<String> choices,
            T usual,
            Function<String, T> reader,
            Function<T, String> writer) {
        Syntax<T> syntax = new Syntax<>(allowed, choices, Shape.SCALAR, values -> reader.apply(only(values)), writer);
        return new Setting<>(name, syntax, usual, Notes.NONE);
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
        Function<List<String>, List<String>> reader = values -> atMost(values, most).stream()
                .map(text -> matching(text, pattern))
                .toList();
        Syntax<List<String>> syntax = new Syntax<>(
                what + ", at most " + most, List.of(), Shape.LIST, reader, values -> String.join(", ", values));
        return new Setting<>(name, syntax, List.copyOf(usual), Notes.NONE);
    }

    /**
     * Values by name, each read as another setting reads it. The map keeps the order in which they are written.
     *
     * <pre>{@code
     * static final Setting<Map<String, Integer>> NAMESPACES = Setting.map(
     *         "namespaces", "namespaces", "[a-z0-9-]{1,63}", Setting.wholeNumber("limit", 0, 10_000, 0), 1_000, Map.of());
     * }</pre>
     *
     * <pre>
     * namespaces:
     *   default: 20
     *   kube-system: 50
     * </pre>
     *
     * @param keys the names in words, for operators: "namespaces"
     * @param regex what each name matches as a whole
     * @param value one value: a scalar, whose own name and default do not matter
     * @param most how many there may be
     */
    public static <V> Setting<Map<String, V>> map(
            String name, String keys, String regex, Setting<V> value, int most, Map<String, V> usual) {
        scalar(value);
        Pattern pattern = Pattern.compile(regex);
        Function<List<String>, Map<String, V>> reader = texts -> {
            Map<String, V> read = new LinkedHashMap<>();
            for (String text : texts) {
                Pairs.read(text).forEach((key, written) -> {
                    if (read.putIfAbsent(matching(key, pattern), value.read(List.of(written))) != null) {
                        throw new IllegalArgumentException("one name twice");
                    }
                });
            }
            atMost(read.keySet(), most);
            return Collections.unmodifiableMap(read);
        };
        Syntax<Map<String, V>> syntax = new Syntax<>(
                "a map of " + keys + ", at most " + most + ", each to " + value.allowed(),
                List.of(),
                Shape.MAP,
                reader,
                map -> map.entrySet().stream()
                        .map(entry -> written(Map.of(entry.getKey(), value.show(entry.getValue()))))
                        .collect(Collectors.joining(", ")));
        Map<String, V> copy = Collections.unmodifiableMap(new LinkedHashMap<>(usual));
        return new Setting<>(name, syntax, copy, new Notes("", "", value.isSecret(), false));
    }

    /**
     * Several records of the same fields; a field that is not written has its default.
     *
     * <pre>{@code
     * static final Setting<String> CIDR = Setting.text("cidr", "a subnet", "[0-9./]{9,18}", "");
     * static final Setting<Boolean> SPARE = Setting.flag("spare", false);
     * static final Setting<List<Settings>> RANGES = Setting.records("ranges", 100, List.of(CIDR, SPARE));
     * ...
     * for (Settings range : context.settings().get(RANGES)) { use(range.get(CIDR), range.get(SPARE)); }
     * }</pre>
     *
     * <pre>
     * ranges:
     *   - cidr: 10.0.0.0/24
     *   - {cidr: 10.0.1.0/24, spare: true}
     * </pre>
     *
     * @param most how many records there may be; where none is set there are none
     * @param fields scalars with different names
     */
    public static Setting<List<Settings>> records(String name, int most, List<Setting<?>> fields) {
        List<Setting<?>> schema = List.copyOf(fields);
        schema.forEach(Setting::scalar);
        Function<List<String>, List<Settings>> reader = texts ->
                atMost(texts, most).stream().map(text -> record(schema, text)).toList();
        String allowed = schema.stream()
                .map(field -> field.name() + " (" + field.allowed() + ")")
                .collect(Collectors.joining(", ", "records, at most " + most + ", of ", ""));
        Syntax<List<Settings>> syntax = new Syntax<>(
                allowed,
                List.of(),
                Shape.RECORDS,
                reader,
                records -> records.stream().map(one -> shown(schema, one)).collect(Collectors.joining(", ")));
        boolean secret = schema.stream().anyMatch(Setting::isSecret);
        return new Setting<>(name, syntax, List.of(), new Notes("", "", secret, false));
    }

    private static Settings record(List<Setting<?>> schema, String text) {
        Map<String, List<String>> written = new HashMap<>();
        Pairs.read(text).forEach((field, value) -> written.put(field, List.of(value)));
        return Settings.of(schema, written);
    }

    private static String shown(List<Setting<?>> schema, Settings one) {
        Map<String, String> fields = new LinkedHashMap<>();
        schema.forEach(field -> fields.put(field.name(), shown(field, one)));
        return written(fields);
    }

    private static <F> String shown(Setting<F> field, Settings one) {
        return field.show(one.get(field));
    }

    private static void scalar(Setting<?> setting) {
        if (setting.syntax.shape != Shape.SCALAR) {
            throw new IllegalArgumentException(
                    "setting " + setting.name + " is no scalar: it cannot be part of another");
        }
    }

    /**
     * The text of a record, or of one entry of a map, as {@link #read} takes it: {@code cidr=10.0.0.0/24;spare=true}. A
     * backslash stands before an equals sign, a semicolon or a backslash that is part of a name or value.
     */
    public static String written(Map<String, String> pairs) {
        return Pairs.write(pairs);
    }

    /** The same setting, saying what its value counts: {@code addresses}. */
    public Setting<T> unit(String words) {
        return new Setting<>(name, syntax, usual, new Notes(words, notes.doc, notes.secret, notes.live));
    }

    /** The same setting with its meaning, one sentence with a full stop. */
    public Setting<T> doc(String sentence) {
        return new Setting<>(name, syntax, usual, new Notes(notes.unit, sentence, notes.secret, notes.live));
    }

    /** The same setting, whose value is never shown, logged or put into an error. */
    public Setting<T> secret() {
        return new Setting<>(name, syntax, usual, new Notes(notes.unit, notes.doc, true, notes.live));
    }

    /**
     * The same setting, which may change while a policy or factory is open: each call of {@link PluginContext#settings()}
     * has the value of now. One that is not live keeps the value with which it was opened until the daemon starts anew.
     */
    public Setting<T> live() {
        return new Setting<>(name, syntax, usual, new Notes(notes.unit, notes.doc, notes.secret, true));
    }

    public String name() {
        return name;
    }

    /** What an operator may write: {@code a whole number, 0 to 100 (addresses)}. */
    public String allowed() {
        return notes.unit.isEmpty() ? syntax.allowed : syntax.allowed + " (" + notes.unit + ")";
    }

    /** All that may be written, where that is a short list; else empty. */
    public List<String> choices() {
        return syntax.choices;
    }

    /** Whether a value has several parts: whether its shape is another than {@link Shape#SCALAR}. */
    public boolean list() {
        return syntax.shape != Shape.SCALAR;
    }

    /** How a value is written. */
    public Shape shape() {
        return syntax.shape;
    }

    /** The value where none is set. */
    public T usual() {
        return usual;
    }

    public String unit() {
        return notes.unit;
    }

    public String doc() {
        return notes.doc;
    }

    /** Whether the value is never shown. */
    public boolean isSecret() {
        return notes.secret;
    }

    /** Whether a change applies while a policy or factory is open. */
    public boolean isLive() {
        return notes.live;
    }

    /**
     * Reads a value as configuration has it.
     *
     * @param values the scalar's text, the texts of a list, or the {@link #written} entries of a map or records of a list
     * @throws IllegalArgumentException if it is not allowed; the message is for programmers, {@link #allowed()} for
     *     operators
     */
    public T read(List<String> values) {
        return syntax.reader.apply(values);
    }

    /** A value as an operator would write it; {@code ***} for a secret that is set. */
    public String show(T value) {
        String text = syntax.writer.apply(value);
        return notes.secret && !text.isEmpty() ? "***" : text;
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

    private static <C extends Collection<?>> C atMost(C values, int most) {
        if (values.size() > most) {
            throw new IllegalArgumentException(values.size() + " values");
        }
        return values;
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
