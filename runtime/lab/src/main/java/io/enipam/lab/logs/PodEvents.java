package io.enipam.lab.logs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Events as {@code kubectl get events -A -o json} prints them: a list, or one after another. They are read as they come, never whole, and
 * need no order. Of the core API and of {@code events.k8s.io}, these count:
 *
 * <ul>
 *   <li>{@code Scheduled} of a pod, "Successfully assigned NAMESPACE/NAME to NODE": it comes to that node;
 *   <li>{@code Pulling}, {@code Pulled}, {@code Created}, {@code Started} of a pod: its sandbox is there, by the first of them;
 *   <li>{@code Killing} of a pod, "Stopping container ...": it ends; other messages are of a restart;
 *   <li>{@code SuccessfulCreate} of a StatefulSet, Job or another owner names a pod of it;
 *   <li>{@code Completed} of a Job ends the pods that nothing else ended: no event says that a container came to its end.
 * </ul>
 */
final class PodEvents {
    private static final Pattern ASSIGNED = Pattern.compile("Successfully assigned \\S+ to (\\S+)");
    private static final Pattern MADE =
            Pattern.compile("(?:Created pod: (\\S+)|create Pod (\\S+) in StatefulSet \\S+ successful)");
    private static final String STOPPING = "Stopping container";
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(64)
                    .maxStringLength(1 << 20)
                    .build())
            .build();

    private final PodNames names;
    private final Problem.Counts problems;
    private final Map<String, Seen> pods = new LinkedHashMap<>();
    /** By pod, KIND NAMESPACE/NAME. */
    private final Map<String, String> owners = new HashMap<>();

    private final Map<String, Long> completed = new HashMap<>();
    private long from = Long.MAX_VALUE;
    private long to = Long.MIN_VALUE;
    private String file = "";
    private long number;

    /** What is known of a pod with one UID. */
    private static final class Seen {
        private final String pod;
        private String node = "";
        private OptionalLong scheduled = OptionalLong.empty();
        private OptionalLong prepared = OptionalLong.empty();
        private OptionalLong killed = OptionalLong.empty();

        Seen(String pod) {
            this.pod = pod;
        }
    }

    /** An event, as far as it is read. */
    private static final class Event {
        private String reason = "";
        private String message = "";
        private String kind = "";
        private String namespace = "";
        private String name = "";
        private String uid = "";
        /** In the order in which they are believed: eventTime, firstTimestamp, lastTimestamp. */
        private final String[] times = {"", "", ""};

        private boolean is;
    }

    PodEvents(PodNames names, Problem.Counts problems) {
        this.names = names;
        this.problems = problems;
    }

    /** Reads all events of a file. Throws JsonProcessingException where it is broken: what came before counts. */
    void read(InputStream in, String file) throws IOException, TraceException {
        this.file = file;
        this.number = 0;
        try (JsonParser json = JSON.createParser(in)) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.START_OBJECT) {
                    object(json);
                }
            }
        }
    }

    /** A list's object, or an event's. */
    private void object(JsonParser json) throws IOException, TraceException {
        Event event = new Event();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            if (field.equals("items") && value == JsonToken.START_ARRAY) {
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    if (json.currentToken() == JsonToken.START_OBJECT) {
                        object(json);
                    } else {
                        json.skipChildren();
                    }
                }
            } else if ((field.equals("involvedObject") || field.equals("regarding"))
                    && value == JsonToken.START_OBJECT) {
                event.is = true;
                about(json, event);
            } else if (value == JsonToken.VALUE_STRING) {
                field(field, json.getText(), event);
            } else {
                json.skipChildren();
            }
        }
        if (event.is) {
            number++;
            take(event, file + ", event " + number);
        }
    }

    private static void about(JsonParser json, Event event) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            if (json.nextToken() != JsonToken.VALUE_STRING) {
                json.skipChildren();
                continue;
            }
            switch (field) {
                case "kind" -> event.kind = json.getText();
                case "namespace" -> event.namespace = json.getText();
                case "name" -> event.name = json.getText();
                case "uid" -> event.uid = json.getText();
                default -> {}
            }
        }
    }

    private static void field(String field, String text, Event event) {
        switch (field) {
            case "reason" -> event.reason = text;
            case "message", "note" -> event.message = text;
            case "eventTime" -> event.times[0] = text;
            case "firstTimestamp", "deprecatedFirstTimestamp" -> event.times[1] = text;
            case "lastTimestamp", "deprecatedLastTimestamp" -> event.times[2] = text;
            default -> {}
        }
    }

    private static OptionalLong time(Event event) {
        for (String text : event.times) {
            if (!text.isEmpty()) {
                return Timeline.time(text);
            }
        }
        return OptionalLong.empty();
    }

    private void take(Event event, String where) throws TraceException {
        OptionalLong time = time(event);
        if (time.isEmpty()) {
            problems.add(Problem.NO_TIME, 1, where);
            return;
        }
        long at = time.getAsLong();
        if (event.kind.equals("Pod")) {
            Optional<String> pod = names.pod(event.namespace, event.name, where);
            if (pod.isPresent()) {
                from = Math.min(from, at);
                to = Math.max(to, at);
                pod(event, at, pod.get());
            }
        } else if (event.reason.equals("SuccessfulCreate")) {
            Matcher made = MADE.matcher(event.message);
            if (made.matches()) {
                String name = made.group(1) != null ? made.group(1) : made.group(2);
                Optional<String> pod = names.pod(event.namespace, name, where);
                pod.ifPresent(one -> owners.put(one, names.same(owner(event))));
            }
        } else if (event.kind.equals("Job") && event.reason.equals("Completed")) {
            completed.merge(names.same(owner(event)), at, Math::min);
            to = Math.max(to, at);
        }
    }

    private static String owner(Event event) {
        return event.kind + " " + event.namespace + "/" + event.name;
    }

    private void pod(Event event, long at, String pod) throws TraceException {
        if (pods.size() > TraceFile.MOST_SANDBOXES) {
            throw new TraceException(
                    "the events are of more than " + TraceFile.MOST_SANDBOXES + " pods; import a part of them");
        }
        Seen seen = pods.computeIfAbsent(names.same(event.uid.isEmpty() ? pod : event.uid), uid -> new Seen(pod));
        switch (event.reason) {
            case "Scheduled" -> {
                Matcher assigned = ASSIGNED.matcher(event.message);
                if (assigned.matches()) {
                    seen.node = names.same(assigned.group(1));
                    seen.scheduled = first(seen.scheduled, at);
                }
            }
            case "Pulling", "Pulled", "Created", "Started" -> seen.prepared = first(seen.prepared, at);
            case "Killing" -> {
                if (event.message.startsWith(STOPPING)) {
                    seen.killed = first(seen.killed, at);
                }
            }
            default -> {}
        }
    }

    private static OptionalLong first(OptionalLong known, long at) {
        return OptionalLong.of(Math.min(known.orElse(at), at));
    }

    /** Of how many pods there are events. */
    int size() {
        return pods.size();
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }

    /** Of a pod's owner; empty text if no event says it. */
    String ownerKind(String pod) {
        String owner = owners.getOrDefault(pod, "");
        return owner.substring(0, Math.max(0, owner.indexOf(' ')));
    }

    List<PodSpan> spans() {
        List<PodSpan> spans = new ArrayList<>();
        for (Seen seen : pods.values()) {
            if (seen.scheduled.isEmpty()) {
                problems.add(Problem.NO_BEGINNING, 1, "a pod that is not among the scheduled ones");
                continue;
            }
            long at = seen.scheduled.getAsLong();
            // the kubelet's events have whole seconds, those of the scheduler parts of them
            long answered = Math.max(at, seen.prepared.orElse(at));
            Long done = completed.get(owners.getOrDefault(seen.pod, ""));
            OptionalLong end = seen.killed.isPresent() || done == null ? seen.killed : OptionalLong.of(done);
            spans.add(new PodSpan(seen.node, seen.pod, at, answered, end));
        }
        return spans;
    }
}
