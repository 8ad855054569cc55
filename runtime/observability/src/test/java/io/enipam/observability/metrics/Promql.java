package io.enipam.observability.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads of a PromQL expression which metrics it names, and which labels it selects them by. It knows no precedence and no types:
 * whatever is neither a function, a keyword, a label nor a number is a metric.
 */
final class Promql {
    private static final Set<String> KEYWORDS = Set.of(
            "and",
            "or",
            "unless",
            "bool",
            "offset",
            "by",
            "without",
            "on",
            "ignoring",
            "group_left",
            "group_right",
            "Inf",
            "NaN");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\(([^()]*)\\)");
    private static final Pattern WORD = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\s*\\()?(?:\\s*\\{([^}]*)})?");
    private static final Pattern MATCHER =
            Pattern.compile("\\s*([a-zA-Z_][a-zA-Z0-9_]*)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"\\s*");

    private Promql() {}

    /** A metric with the matchers behind it. */
    record Selector(String metric, List<Matched> matchers) {}

    /** One matcher. */
    record Matched(String label, String operator, String value) {}

    /** The metrics of an expression. Throws if brackets do not match, or a matcher is none. */
    static List<Selector> selectors(String expression) {
        balanced(expression);
        String bare = GROUPING.matcher(expression.replaceAll("\\[[^\\]]*]", "")).replaceAll("");
        List<Selector> all = new ArrayList<>();
        for (Matcher word = WORD.matcher(bare); word.find(); ) {
            boolean afterNumber = word.start() > 0 && Character.isDigit(bare.charAt(word.start() - 1));
            if (word.group(2) == null && !KEYWORDS.contains(word.group(1)) && !afterNumber) {
                all.add(new Selector(word.group(1), word.group(3) == null ? List.of() : matchers(word.group(3))));
            }
        }
        return all;
    }

    /** The labels by which an expression groups or joins. */
    static List<String> groupings(String expression) {
        List<String> labels = new ArrayList<>();
        for (Matcher grouping = GROUPING.matcher(expression); grouping.find(); ) {
            for (String label : grouping.group(2).split(",", -1)) {
                labels.add(label.strip());
            }
        }
        return labels;
    }

    private static List<Matched> matchers(String text) {
        List<Matched> all = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher matcher = MATCHER.matcher(part);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("no matcher: " + part);
            }
            all.add(new Matched(matcher.group(1), matcher.group(2), matcher.group(3)));
        }
        return all;
    }

    private static void balanced(String expression) {
        String open = "";
        for (char c : expression.replaceAll("\"[^\"]*\"", "").toCharArray()) {
            if ("([{".indexOf(c) >= 0) {
                open += c;
            } else if (")]}".indexOf(c) >= 0) {
                if (open.isEmpty() || "([{".indexOf(open.charAt(open.length() - 1)) != ")]}".indexOf(c)) {
                    throw new IllegalArgumentException("brackets do not match: " + expression);
                }
                open = open.substring(0, open.length() - 1);
            }
        }
        if (!open.isEmpty()) {
            throw new IllegalArgumentException("brackets are open: " + expression);
        }
    }
}
