package io.enipam.daemon.campaign;

import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What happened, to be told when something went wrong. Thread-safe. */
final class Story implements EventSink {
    private static final int LAST = 60;
    private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+");

    private final List<String> lines = new ArrayList<>();

    synchronized void tell(String line) {
        lines.add(line);
    }

    /** Whose events these are: a process that died goes on for a moment beside the next one. */
    EventSink of(String name) {
        return (severity, type, subject, message, attributes) ->
                tell(name + ": " + severity + " " + type + " " + subject + " " + message);
    }

    @Override
    public void publish(
            Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        tell(severity + " " + type + " " + message);
    }

    /** The last lines, and all about the first address that the trouble names. */
    synchronized String about(String trouble) {
        Matcher address = ADDRESS.matcher(trouble);
        String named = address.find() ? address.group() : "no address";
        Pattern alone = Pattern.compile("(?<![\\d.])" + Pattern.quote(named) + "(?![\\d.])");
        return "\n  "
                + String.join("\n  ", lines.subList(Math.max(0, lines.size() - LAST), lines.size()))
                + "\nof " + named + ":\n  "
                + lines.stream().filter(line -> alone.matcher(line).find()).collect(Collectors.joining("\n  "));
    }
}
