package io.enipam.lab.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.sdk.PodRef;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Traces as JSON lines, version 1. The first line is the head, and each other line a sandbox:
 *
 * <pre>
 * {"format":"enipam-lab-trace","version":1,"lengthMs":86400000,"origin":"generated: deploy, seed 7"}
 * {"atMs":1520,"pod":"default/web-0","livesMs":310000,"ownerKind":"Deployment"}
 * </pre>
 *
 * Times are whole milliseconds. {@code atMs} never falls and is at most {@code lengthMs}; without {@code livesMs} a pod stays to the
 * end; {@code ownerKind} may be left out. A file of a fleet has the traces of several nodes: the head says {@code "nodes":N}, and each
 * line {@code "node":I} from 0 on. Fields of other names are refused. A file that another program wrote is read with care: lines and
 * their number are bounded, and what is wrong is reported with the line.
 */
public final class TraceFile {
    public static final String FORMAT = "enipam-lab-trace";
    public static final int VERSION = 1;

    /** The most sandboxes of a file. */
    public static final int MOST_SANDBOXES = 5_000_000;

    /** The most nodes of a file, and of a fleet. */
    public static final int MOST_NODES = 10_000;

    /** The longest trace. */
    public static final Duration LONGEST = Duration.ofDays(31);

    private static final int LONGEST_LINE = 4096;
    private static final int LONGEST_NAME = 330;
    private static final Set<String> HEAD = Set.of("format", "version", "lengthMs", "origin", "nodes");
    private static final Set<String> FIELDS = Set.of("atMs", "pod", "livesMs", "ownerKind");
    private static final Set<String> FLEET_FIELDS = Set.of("atMs", "pod", "livesMs", "ownerKind", "node");

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(4).build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // an error must not quote the file
            .configure(JsonParser.Feature.INCLUDE_SOURCE_IN_LOCATION, false)
            .build();

    private TraceFile() {}

    /** A trace that cannot be read; the message is one line, names file and line, and says what to do. */
    public static final class TraceException extends Exception {
        private static final long serialVersionUID = 1L;

        public TraceException(String message) {
            super(message);
        }
    }

    /** Reads the trace of one node. Throws TraceException if it cannot be read, or is not that. */
    public static Trace read(Path file) throws TraceException {
        List<Trace> nodes = readAll(file);
        if (nodes.size() > 1) {
            throw new TraceException(file + " has the traces of " + nodes.size()
                    + " nodes, and here is one wanted; 'lab run' takes them all");
        }
        return nodes.get(0);
    }

    /** Reads the traces of all nodes of a file, one or more, in the order of their numbers. Throws TraceException as {@link #read}. */
    public static List<Trace> readAll(Path file) throws TraceException {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return new Reading(String.valueOf(file.getFileName())).all(lines);
        } catch (NoSuchFileException e) {
            throw new TraceException("there is no file " + file + "; 'lab generate' makes one");
        } catch (CharacterCodingException e) {
            throw new TraceException(file + " is no text in UTF-8; is it a trace?");
        } catch (IOException e) {
            throw new TraceException(file + " cannot be read: " + e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    /**
     * Writes the traces of nodes as {@link #readAll} takes them; the same traces give the same bytes.
     *
     * @param nodes at least one, all of one length; the file has the origin of the first
     */
    public static void write(List<Trace> nodes, Writer out) throws IOException {
        Trace first = nodes.get(0);
        ObjectNode head = JSON.createObjectNode();
        head.put("format", FORMAT).put("version", VERSION);
        head.put("lengthMs", first.length().toMillis()).put("origin", first.origin());
        if (nodes.size() > 1) {
            head.put("nodes", nodes.size());
        }
        out.write(JSON.writeValueAsString(head) + "\n");
        PriorityQueue<Next> next = new PriorityQueue<>();
        for (int i = 0; i < nodes.size(); i++) {
            Next.of(nodes.get(i), i, 0).ifPresent(next::add);
        }
        while (!next.isEmpty()) {
            Next one = next.remove();
            Sandbox sandbox = one.sandbox();
            ObjectNode line = JSON.createObjectNode();
            line.put("atMs", sandbox.at().toMillis()).put("pod", sandbox.pod());
            sandbox.lives().ifPresent(lives -> line.put("livesMs", lives.toMillis()));
            if (!sandbox.ownerKind().isEmpty()) {
                line.put("ownerKind", sandbox.ownerKind());
            }
            if (nodes.size() > 1) {
                line.put("node", one.node());
            }
            out.write(JSON.writeValueAsString(line) + "\n");
            Next.of(one.trace(), one.node(), one.index() + 1).ifPresent(next::add);
        }
    }

    /** The next sandbox of a node that is not written yet. */
    private record Next(Trace trace, int node, int index) implements Comparable<Next> {
        private static final Comparator<Next> ORDER =
                Comparator.comparing((Next next) -> next.sandbox().at()).thenComparingInt(Next::node);

        Sandbox sandbox() {
            return trace.sandboxes().get(index);
        }

        static Optional<Next> of(Trace trace, int node, int index) {
            return index < trace.sandboxes().size() ? Optional.of(new Next(trace, node, index)) : Optional.empty();
        }

        @Override
        public int compareTo(Next other) {
            return ORDER.compare(this, other);
        }
    }

    /** One reading of one file; it knows at which line it is. */
    private static final class Reading {
        private final String file;
        private int line;

        Reading(String file) {
            this.file = file;
        }

        List<Trace> all(BufferedReader lines) throws IOException, TraceException {
            String first = next(lines).orElseThrow(() -> wrong("the file is empty; a trace begins with its head"));
            JsonNode head = object(first, HEAD);
            if (!head.path("format").asText().equals(FORMAT)) {
                throw wrong("this is no trace: the first line has to be {\"format\":\"" + FORMAT + "\",\"version\":"
                        + VERSION + ",...}");
            }
            long version = number(head, "version", 1, Integer.MAX_VALUE);
            if (version != VERSION) {
                throw wrong("its version is " + version + ", and this lab reads version " + VERSION
                        + "; make it anew, or take another enipam");
            }
            long length = number(head, "lengthMs", 1, LONGEST.toMillis());
            String origin = head.has("origin") ? text(head, "origin", 1000) : "";
            boolean fleet = head.has("nodes");
            List<List<Sandbox>> nodes = new ArrayList<>();
            for (long left = fleet ? number(head, "nodes", 1, MOST_NODES) : 1; left > 0; left--) {
                nodes.add(new ArrayList<>());
            }
            int read = 0;
            long last = 0;
            for (Optional<String> text = next(lines); text.isPresent(); text = next(lines)) {
                if (read++ == MOST_SANDBOXES) {
                    throw wrong("a trace has " + MOST_SANDBOXES + " sandboxes at most; cut it into parts");
                }
                JsonNode fields = object(text.get(), fleet ? FLEET_FIELDS : FIELDS);
                long at = number(fields, "atMs", 0, length);
                if (at < last) {
                    throw wrong("'atMs' is " + at + ", before the line above (" + last + "); sort the lines by it");
                }
                last = at;
                int node = fleet ? (int) number(fields, "node", 0, nodes.size() - 1) : 0;
                nodes.get(node)
                        .add(new Sandbox(
                                Duration.ofMillis(at),
                                pod(fields),
                                fields.has("livesMs")
                                        ? Optional.of(
                                                Duration.ofMillis(number(fields, "livesMs", 0, LONGEST.toMillis())))
                                        : Optional.empty(),
                                fields.has("ownerKind") ? text(fields, "ownerKind", LONGEST_NAME) : ""));
            }
            return nodes.stream()
                    .map(sandboxes -> new Trace(origin, Duration.ofMillis(length), sandboxes))
                    .toList();
        }

        /** The next line that is not blank. */
        private Optional<String> next(BufferedReader lines) throws IOException, TraceException {
            while (true) {
                line++;
                StringBuilder text = new StringBuilder();
                int read = lines.read();
                if (read < 0) {
                    return Optional.empty();
                }
                while (read >= 0 && read != '\n') {
                    if (text.length() == LONGEST_LINE) {
                        throw wrong("it is longer than " + LONGEST_LINE
                                + " characters; each sandbox has a line of its own");
                    }
                    text.append((char) read);
                    read = lines.read();
                }
                if (!text.toString().isBlank()) {
                    return Optional.of(text.toString());
                }
            }
        }

        private JsonNode object(String text, Set<String> known) throws TraceException {
            JsonNode node;
            try {
                node = JSON.readTree(text);
            } catch (JsonProcessingException e) {
                String why = e.getOriginalMessage().lines().findFirst().orElse("");
                throw wrong("it is no JSON: " + quoted(why) + "; correct the line, or remove it");
            }
            if (!node.isObject()) {
                throw wrong("it is no JSON object; each line is {\"atMs\":...,\"pod\":...}");
            }
            for (var field : node.properties()) {
                if (!known.contains(field.getKey())) {
                    throw wrong("there is no field '" + quoted(field.getKey()) + "' here; there are "
                            + String.join(", ", known.stream().sorted().toList()));
                }
            }
            return node;
        }

        private long number(JsonNode node, String name, long least, long most) throws TraceException {
            JsonNode value = node.path(name);
            if (!value.isIntegralNumber()
                    || !value.canConvertToLong()
                    || value.asLong() < least
                    || value.asLong() > most) {
                throw wrong("'" + name + "' is " + (value.isMissingNode() ? "missing" : quoted(value.toString()))
                        + "; give a whole number from " + least + " to " + most);
            }
            return value.asLong();
        }

        private String text(JsonNode node, String name, int longest) throws TraceException {
            JsonNode value = node.path(name);
            String text = value.asText();
            if (!value.isTextual()
                    || text.isEmpty()
                    || text.length() > longest
                    || text.chars().anyMatch(Character::isISOControl)) {
                throw wrong("'" + name + "' is " + (value.isMissingNode() ? "missing" : quoted(value.toString()))
                        + "; give a text of 1 to " + longest + " printable characters");
            }
            return text;
        }

        private String pod(JsonNode fields) throws TraceException {
            String pod = text(fields, "pod", LONGEST_NAME);
            try {
                return PodRef.parse(pod).toString();
            } catch (IllegalArgumentException e) {
                throw wrong("'pod' is '" + quoted(pod) + "'; give NAMESPACE/NAME as Kubernetes has them");
            }
        }

        private TraceException wrong(String what) {
            return new TraceException(file + ", line " + line + ": " + what);
        }

        /** What a message says of a text: no control characters, and no more than 80. */
        private static String quoted(String text) {
            String shown = text.length() > 80 ? text.substring(0, 80) + "..." : text;
            return shown.replaceAll("\\p{Cntrl}", "?");
        }
    }
}
