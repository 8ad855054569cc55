package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.LabelSelector.Operator;
import io.enipam.sdk.cluster.LabelSelector.Requirement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes a {@code ClusterCIDR} is for: those that one of the terms matches. Immutable.
 *
 * @param terms one or more
 * @see <a href="https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.31/#nodeselector-v1-core">NodeSelector v1 core</a>
 */
public record NodeSelector(List<Term> terms) {
    private static final String LABEL_NAME = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
    private static final String DNS_NAME = "[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*";
    private static final String LABEL_KEY = "((?=[^/]{1,253}/)" + DNS_NAME + "/)?" + LABEL_NAME;
    private static final String LABEL_VALUE = "(" + LABEL_NAME + ")?";
    private static final String NODE_NAME = "(?=.{1,253}$)" + DNS_NAME;
    /** What is written of an operator, in the order of {@link Operator}. */
    private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");

    private static final String FIELD = "metadata.name";
    private static final int MOST_SHOWN = 64;

    public NodeSelector {
        terms = List.copyOf(terms);
    }

    /**
     * Requirements that all hold.
     *
     * @param expressions of labels
     * @param fields of {@code metadata.name}, as if it were a label; a term with none of both matches no node
     */
    public record Term(List<Requirement> expressions, List<Requirement> fields) {
        public Term {
            expressions = List.copyOf(expressions);
            fields = List.copyOf(fields);
        }

        private int size() {
            return expressions.size() + fields.size();
        }

        private boolean matches(ClusterObject node) {
            Map<String, String> name = Map.of(FIELD, node.name());
            return size() > 0
                    && expressions.stream().allMatch(it -> it.matches(node.labels()))
                    && fields.stream().allMatch(it -> it.matches(name));
        }
    }

    /** Those that have all of these labels. */
    static NodeSelector ofLabels(Map<String, String> labels) {
        List<Requirement> expressions = labels.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(label -> new Requirement(label.getKey(), Operator.IN, List.of(label.getValue())))
                .toList();
        return new NodeSelector(List.of(new Term(expressions, List.of())));
    }

    /**
     * Reads the tree of {@code spec.nodeSelector}.
     *
     * @param problems gets what is wrong with it; what is returned counts only if that is nothing
     */
    static NodeSelector read(Object tree, List<String> problems) {
        String path = "spec.nodeSelector";
        List<Term> terms = new ArrayList<>();
        List<?> written = list(map(tree, path, problems), "nodeSelectorTerms", path, problems);
        if (written.isEmpty() && problems.isEmpty()) {
            problems.add(path + ".nodeSelectorTerms: must have at least one node selector term"
                    + " (a ClusterCIDR for all nodes has no nodeSelector)");
        }
        for (int i = 0; i < written.size(); i++) {
            String at = path + ".nodeSelectorTerms[" + i + "]";
            Map<?, ?> term = map(written.get(i), at, problems);
            terms.add(new Term(
                    requirements(term, "matchExpressions", at, problems),
                    requirements(term, "matchFields", at, problems)));
        }
        return new NodeSelector(terms);
    }

    private static List<Requirement> requirements(Map<?, ?> term, String name, String path, List<String> problems) {
        List<Requirement> read = new ArrayList<>();
        List<?> written = list(term, name, path, problems);
        for (int i = 0; i < written.size(); i++) {
            String at = path + "." + name + "[" + i + "]";
            int before = problems.size();
            Map<?, ?> requirement = map(written.get(i), at, problems);
            String key = text(requirement.get("key"), at + ".key", problems);
            String operator = text(requirement.get("operator"), at + ".operator", problems);
            List<String> values = new ArrayList<>();
            for (Object value : list(requirement, "values", at, problems)) {
                values.add(text(value, at + ".values", problems));
            }
            if (problems.size() == before) {
                check(name.equals("matchFields"), key, operator, values, problem -> problems.add(at + problem));
            }
            if (problems.size() == before) {
                try {
                    read.add(new Requirement(key, Operator.values()[OPERATORS.indexOf(operator)], values));
                } catch (IllegalArgumentException e) {
                    problems.add(at + ".values: must be one whole number when `operator` is 'Lt' or 'Gt'");
                }
            }
        }
        return read;
    }

    /** The rules of Kubernetes' validation, in its words where it has some. */
    private static void check(
            boolean field, String key, String operator, List<String> values, Consumer<String> problems) {
        if (field) {
            if (!key.equals(FIELD)) {
                problems.accept(".key: " + shown(key) + ": not a valid field selector key, only " + FIELD + " is");
            }
            if (!operator.equals("In") && !operator.equals("NotIn")) {
                problems.accept(".operator: " + shown(operator) + ": not a valid selector operator");
            } else if (values.size() != 1) {
                problems.accept(
                        ".values: must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
            } else if (!values.get(0).matches(NODE_NAME)) {
                problems.accept(".values: " + shown(values.get(0)) + ": not a valid name of a node");
            }
            return;
        }
        if (!key.matches(LABEL_KEY)) {
            problems.accept(".key: " + shown(key) + ": not a valid label key");
        }
        values.stream()
                .filter(value -> !value.matches(LABEL_VALUE))
                .forEach(value -> problems.accept(".values: " + shown(value) + ": not a valid label value"));
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    problems.accept(".values: must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    problems.accept(".values: may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
            }
            case "Gt", "Lt" -> {
                if (values.size() != 1) {
                    problems.accept(".values: must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
            default -> problems.accept(".operator: " + shown(operator) + ": not a valid selector operator");
        }
    }

    private static Map<?, ?> map(@Nullable Object tree, String path, List<String> problems) {
        if (tree instanceof Map<?, ?> map) {
            return map;
        }
        problems.add(path + ": must be an object");
        return Map.of();
    }

    private static List<?> list(Map<?, ?> tree, String name, String path, List<String> problems) {
        Object value = tree.get(name);
        if (value instanceof List<?> list) {
            return list;
        }
        if (value != null) {
            problems.add(path + "." + name + ": must be a list");
        }
        return List.of();
    }

    private static String text(@Nullable Object value, String path, List<String> problems) {
        if (value instanceof String text) {
            return text;
        }
        problems.add(path + ": must be a text");
        return "";
    }

    /** A text of an unknown client, for a message. */
    static String shown(String text) {
        String cut = text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
        return "'" + cut.replaceAll("\\p{Cntrl}", "?") + "'";
    }

    /** The tree that {@link #read} takes. */
    Map<String, ?> tree() {
        return Map.of(
                "nodeSelectorTerms",
                terms.stream()
                        .map(term -> Map.of(
                                "matchExpressions", trees(term.expressions()), "matchFields", trees(term.fields())))
                        .toList());
    }

    private static List<?> trees(List<Requirement> requirements) {
        return requirements.stream()
                .map(its -> Map.of(
                        "key", its.key(),
                        "operator", OPERATORS.get(its.operator().ordinal()),
                        "values", its.values()))
                .toList();
    }

    /**
     * Whether it selects a node, and by how much.
     *
     * @return how many requirements the matching term has, of several the one with the most; empty if none matches
     */
    OptionalInt matches(ClusterObject node) {
        return terms.stream()
                .filter(term -> term.matches(node))
                .mapToInt(Term::size)
                .max();
    }

    /** All requirements, sorted by their keys, as Kubernetes writes selectors of labels: {@code pool in (a,b),!spot}. */
    String text() {
        return terms.stream()
                .flatMap(term -> Stream.concat(term.expressions().stream(), term.fields().stream()))
                .sorted(Comparator.comparing(Requirement::key))
                .map(NodeSelector::text)
                .collect(Collectors.joining(","));
    }

    private static String text(Requirement requirement) {
        String key = requirement.key();
        List<String> values = requirement.values().stream().sorted().toList();
        return switch (requirement.operator()) {
            case IN -> key + " in (" + String.join(",", values) + ")";
            case NOT_IN -> key + " notin (" + String.join(",", values) + ")";
            case EXISTS -> key;
            case DOES_NOT_EXIST -> "!" + key;
            case GREATER -> key + ">" + values.get(0);
            case LESS -> key + "<" + values.get(0);
        };
    }

    /** For an operator, such as {@code pool in (a), !spot or metadata.name in (n1)}. */
    @Override
    public String toString() {
        return terms.stream()
                .map(term -> Stream.concat(term.expressions().stream(), term.fields().stream())
                        .map(NodeSelector::text)
                        .collect(Collectors.joining(", ")))
                .collect(Collectors.joining(" or "));
    }
}
