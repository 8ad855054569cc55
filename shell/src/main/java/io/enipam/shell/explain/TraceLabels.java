package io.enipam.shell.explain;

import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a step is called, and what is told of it, in words. */
final class TraceLabels {
    /** What is shown in words of its own, or in the header. */
    private static final Set<String> SAID = Set.of(
            "how", "place", "servedBy", "from", "asked", "requestId", "api", "target", "serves", "token", "resource");

    private TraceLabels() {}

    static String step(TraceStory story, TraceSpan span) {
        boolean ends =
                story.getOperation().equals("DEL") || story.getOperation().equals("GC");
        return switch (span.getStep()) {
            case "TURN" -> "pod's turn";
            case "POD" -> "pod looked up";
            case "ACQUIRE" -> "address";
            case "INHERIT" -> "address taken over";
            case "POLICY" -> "policy asked";
            case "COMMIT" -> "database";
            case "QUEUE" -> "disk's turn";
            case "FSYNC" -> "forced to disk";
            case "KERNEL" -> ends || under(story, span, "UNDO") ? "kernel torn down" : "kernel set up";
            case "UNDO" -> "undone";
            case "RELEASE" -> "back in the pool";
            case "CREATE" -> "address made";
            case "INTENT" -> "intention written";
            case "FACTORY" -> "factory asked";
            case "CLOUD" -> span.getAttributesOrDefault("api", "call of the cloud");
            case "LIMITER" -> "held back by the limit";
            case "ATTEMPT" -> "attempt";
            case "BACK_OFF" -> "pause before the next try";
            default -> span.getStep().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }

    private static boolean under(TraceStory story, TraceSpan span, String step) {
        return story.getSpansList().stream()
                .anyMatch(parent ->
                        parent.getId() == span.getParent() && parent.getStep().equals(step));
    }

    static String details(TraceSpan span) {
        List<String> words = new ArrayList<>();
        add(words, "", span, "how");
        add(words, "place ", span, "place");
        add(words, "served by ", span, "servedBy");
        String from = span.getAttributesOrDefault("from", "");
        add(words, from.isEmpty() ? "asked: " : "", span, from.isEmpty() ? "asked" : "none");
        add(words, "from ", span, "from");
        add(words, "", span, "target");
        add(words, "", span, "resource");
        add(words, "wish ", span, "token");
        add(words, "request ", span, "requestId");
        String serves = span.getAttributesOrDefault("serves", "");
        if (!serves.isEmpty()) {
            words.add("for " + serves + " at once");
        }
        span.getAttributesMap().entrySet().stream()
                .filter(entry ->
                        !SAID.contains(entry.getKey()) && !entry.getValue().isEmpty())
                .sorted(java.util.Map.Entry.comparingByKey())
                .forEach(entry -> words.add(entry.getKey() + " " + entry.getValue()));
        return String.join(", ", words);
    }

    private static void add(List<String> words, String label, TraceSpan span, String key) {
        String value = span.getAttributesOrDefault(key, "");
        if (!value.isEmpty()) {
            words.add(label + value);
        }
    }
}
