package io.enipam.daemon.campaign;

import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EventSink;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** What happened last, to be told when something went wrong. Thread-safe. */
final class Story implements EventSink {
    private static final int KEPT = 60;

    private final Deque<String> lines = new ArrayDeque<>();

    synchronized void tell(String line) {
        if (lines.size() == KEPT) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    @Override
    public void publish(
            Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        tell(severity + " " + type + " " + message);
    }

    /** The last lines. */
    synchronized String tail() {
        return "\n  " + String.join("\n  ", lines);
    }
}
