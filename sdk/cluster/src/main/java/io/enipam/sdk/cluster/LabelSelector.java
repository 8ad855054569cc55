package io.enipam.sdk.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What labels must be like: all requirements hold. Immutable.
 *
 * @param requirements none of them selects everything
 * @see <a href="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors">label selectors</a>
 */
public record LabelSelector(List<Requirement> requirements) {
    private static final String KEY = "([A-Za-z0-9./_-]{1,317})";
    private static final String VALUE = "([A-Za-z0-9._-]{0,63})";
    private static final Pattern SET = Pattern.compile(KEY + "\\s+(in|notin)\\s*\\(\\s*([A-Za-z0-9._,\\s-]*?)\\s*\\)");
    private static final Pattern COMPARED = Pattern.compile(KEY + "\\s*(==|=|!=|>|<)\\s*" + VALUE);
    private static final Pattern PRESENT = Pattern.compile("(!?)\\s*" + KEY);
    /** Commas that are not within parentheses. */
    private static final Pattern BETWEEN = Pattern.compile("\\s*,\\s*(?![^(]*\\))");

    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    public static LabelSelector everything() {
        return new LabelSelector(List.of());
    }

    /**
     * Reads what {@code kubectl -l} takes: {@code pool=a,zone in (x, y),!spot,cores>4}.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    public static LabelSelector parse(String text) {
        List<Requirement> read = new ArrayList<>();
        if (!text.isBlank()) {
            for (String part : BETWEEN.split(text.strip(), -1)) {
                read.add(requirement(part));
            }
        }
        return new LabelSelector(read);
    }

    private static Requirement requirement(String part) {
        Matcher set = SET.matcher(part);
        if (set.matches()) {
            Operator operator = set.group(2).equals("in") ? Operator.IN : Operator.NOT_IN;
            return new Requirement(
                    set.group(1),
                    operator,
                    Stream.of(set.group(3).split("\\s*,\\s*", -1)).toList());
        }
        Matcher compared = COMPARED.matcher(part);
        if (compared.matches()) {
            Operator operator = switch (compared.group(2)) {
                case "!=" -> Operator.NOT_IN;
                case ">" -> Operator.GREATER;
                case "<" -> Operator.LESS;
                default -> Operator.IN;
            };
            return new Requirement(compared.group(1), operator, List.of(compared.group(3)));
        }
        Matcher present = PRESENT.matcher(part);
        if (present.matches()) {
            boolean not = !present.group(1).isEmpty();
            return new Requirement(present.group(2), not ? Operator.DOES_NOT_EXIST : Operator.EXISTS, List.of());
        }
        throw new IllegalArgumentException("'" + part + "' is no requirement of labels");
    }

    public boolean matches(Map<String, String> labels) {
        return requirements.stream().allMatch(requirement -> requirement.matches(labels));
    }

    /** What a label must be like. */
    public enum Operator {
        /** It has one of the values. */
        IN,
        /** It has none of the values, or there is no such label. */
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST,
        /** It is a whole number above the value. */
        GREATER,
        /** It is a whole number below the value. */
        LESS
    }

    /**
     * What one label must be like.
     *
     * @param values one or more; none with {@link Operator#EXISTS} and {@link Operator#DOES_NOT_EXIST}; a whole number with
     *     {@link Operator#GREATER} and {@link Operator#LESS}
     */
    public record Requirement(String key, Operator operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
            boolean right = switch (operator) {
                case IN, NOT_IN -> !values.isEmpty();
                case EXISTS, DOES_NOT_EXIST -> values.isEmpty();
                case GREATER, LESS ->
                    values.size() == 1 && number(values.get(0)).isPresent();
            };
            if (!right) {
                throw new IllegalArgumentException("label " + key + " cannot be " + operator + " " + values);
            }
        }

        public boolean matches(Map<String, String> labels) {
            Optional<String> label = Optional.ofNullable(labels.get(key));
            return switch (operator) {
                case IN -> label.filter(values::contains).isPresent();
                case NOT_IN -> label.filter(values::contains).isEmpty();
                case EXISTS -> label.isPresent();
                case DOES_NOT_EXIST -> label.isEmpty();
                case GREATER ->
                    label.flatMap(Requirement::number)
                            .filter(it -> it > bound())
                            .isPresent();
                case LESS ->
                    label.flatMap(Requirement::number)
                            .filter(it -> it < bound())
                            .isPresent();
            };
        }

        private long bound() {
            return number(values.get(0)).orElseThrow();
        }

        /** Of 64 bits, as Kubernetes has it. */
        private static Optional<Long> number(String text) {
            try {
                return text.matches("-?[0-9]{1,63}") ? Optional.of(Long.valueOf(text)) : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }
}
