package io.enipam.lab.logs;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.enipam.emulator.api.Digests;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Makes traces of logs and events. The logs are of one node; of containerd and of the kubelet, containerd's decide, since they say of each
 * CNI call when it came and was answered. Events are of a whole cluster, and make a trace for each of its nodes, by name; beside logs they
 * only say who owns a pod.
 */
public final class LogImport {
    /** How a file of events begins. */
    private static final Pattern EVENTS =
            Pattern.compile("\\s*\\[?\\s*\\{\\s*\"(apiVersion|kind|items|metadata|action)\".*", Pattern.DOTALL);

    private static final int PEEKED = 512;

    private final Problem.Counts problems = new Problem.Counts();
    private final PodNames names = new PodNames(problems);
    private final ContainerdCalls containerd = new ContainerdCalls(names, problems);
    private final KubeletPods kubelet = new KubeletPods(names, problems);
    private final PodEvents events = new PodEvents(names, problems);
    private final LogLines lines = new LogLines(containerd, kubelet, problems);

    private LogImport() {}

    /**
     * What came of the files.
     *
     * @param traces one, or one for each node in the order of their names
     * @param problems what is not in them as it was in the files, and why: a line for each kind, with how often
     */
    public record Imported(List<Trace> traces, List<String> problems) {}

    /**
     * Reads files of any mixture, of which gzip is unpacked.
     *
     * @param named with the names of pods; else there are hashes in their place, the same for the same pod
     * @param node the one of the events' nodes that counts; empty for all
     * @throws TraceException if a file cannot be opened, if nothing in them is a sandbox or a pod, or if it is more than a trace holds
     */
    public static Imported read(List<Path> files, boolean named, Optional<String> node) throws TraceException {
        LogImport all = new LogImport();
        for (Path file : files) {
            all.read(file);
        }
        return all.imported(named, node);
    }

    private void read(Path path) throws TraceException {
        String file = String.valueOf(path.getFileName());
        containerd.timeline().nextFile();
        kubelet.timeline().nextFile();
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(path));
                InputStream in = new BufferedInputStream(unpacked(raw))) {
            if (EVENTS.matcher(peeked(in, PEEKED)).matches()) {
                events.read(in, file);
                return;
            }
            LineReader reader = new LineReader(in, file, problems);
            for (Optional<String> line = reader.next(); line.isPresent(); line = reader.next()) {
                lines.take(line.get(), reader.where());
            }
        } catch (NoSuchFileException e) {
            throw new TraceException("there is no file " + path);
        } catch (JsonProcessingException e) {
            problems.add(
                    Problem.BROKEN_JSON, 1, file + ", line " + e.getLocation().getLineNr());
        } catch (EOFException | ZipException e) {
            problems.add(Problem.BROKEN_FILE, 1, file);
        } catch (IOException e) {
            throw new TraceException(path + " cannot be read: " + e.getClass().getSimpleName() + " " + e.getMessage());
        }
    }

    private static InputStream unpacked(InputStream raw) throws IOException {
        return peeked(raw, 2).equals("\u001f\u008b") ? new GZIPInputStream(raw, 1 << 16) : raw;
    }

    /** The first bytes, which stay to be read. */
    private static String peeked(InputStream in, int most) throws IOException {
        in.mark(most);
        String text = new String(in.readNBytes(most), StandardCharsets.ISO_8859_1);
        in.reset();
        return text;
    }

    /** What one source says. */
    private record Source(String name, long from, long to, List<PodSpan> spans) {}

    private Imported imported(boolean named, Optional<String> node) throws TraceException {
        Source source = source();
        if (node.isPresent() && !source.name().equals("events")) {
            throw new IllegalArgumentException("--node chooses among the nodes of events, and a log is of one node");
        }
        Map<String, List<PodSpan>> byNode = new TreeMap<>();
        for (PodSpan span : source.spans()) {
            if (node.isPresent() && !node.get().equals(span.node())) {
                problems.add(Problem.OTHER_NODE, 1, "on " + span.node());
            } else {
                byNode.computeIfAbsent(span.node(), one -> new ArrayList<>()).add(span);
            }
        }
        if (byNode.isEmpty()) {
            throw new TraceException("no pod came to node " + node.orElse("") + "; there are "
                    + String.join(
                            ", ",
                            source.spans().stream()
                                    .map(PodSpan::node)
                                    .distinct()
                                    .sorted()
                                    .limit(20)
                                    .toList()));
        }
        Duration length = Duration.ofMillis(Math.max(1, source.to() - source.from()));
        if (length.compareTo(TraceFile.LONGEST) > 0) {
            throw new TraceException("the files are of " + length.toDays() + " days, from "
                    + Instant.ofEpochMilli(source.from()) + " to " + Instant.ofEpochMilli(source.to())
                    + ", and a trace has up to " + TraceFile.LONGEST.toDays() + "; leave some out");
        }
        if (byNode.size() > TraceFile.MOST_NODES || source.spans().size() > TraceFile.MOST_SANDBOXES) {
            throw new TraceException(
                    byNode.size() + " nodes and " + source.spans().size() + " pods are more than a trace has, which is "
                            + TraceFile.MOST_NODES + " and " + TraceFile.MOST_SANDBOXES + "; import a part of them");
        }
        String origin = ("imported: " + source.name() + (named ? " " + String.join(" ", byNode.keySet()) : "")).strip();
        String shown = origin.length() > 1000 ? origin.substring(0, 1000) : origin;
        List<Trace> traces = byNode.values().stream()
                .map(spans -> new Trace(shown, length, sandboxes(spans, source.from(), named)))
                .toList();
        return new Imported(traces, problems.lines());
    }

    private Source source() throws TraceException {
        if (containerd.timeline().size() > 0) {
            leave(Problem.KUBELET_LEFT, kubelet.timeline().size());
            leave(Problem.EVENTS_LEFT, events.size());
            return new Source(
                    "containerd",
                    containerd.timeline().from(),
                    containerd.timeline().to(),
                    some(containerd.spans()));
        }
        if (kubelet.timeline().size() > 0) {
            leave(Problem.EVENTS_LEFT, events.size());
            return new Source(
                    "kubelet", kubelet.timeline().from(), kubelet.timeline().to(), some(kubelet.spans()));
        }
        return new Source("events", events.from(), events.to(), some(events.spans()));
    }

    private void leave(Problem problem, int times) {
        if (times > 0) {
            problems.add(problem, times, "all");
        }
    }

    private List<PodSpan> some(List<PodSpan> spans) throws TraceException {
        if (spans.isEmpty()) {
            throw new TraceException("no pod comes in these files, which may be logs of containerd or of the kubelet"
                    + " with --v=2, or 'kubectl get events -A -o json'"
                    + problems.lines().stream().map(line -> "; " + line).reduce("", String::concat));
        }
        return spans;
    }

    private List<Sandbox> sandboxes(List<PodSpan> spans, long from, boolean named) {
        return spans.stream()
                .sorted(Comparator.comparingLong(PodSpan::at).thenComparing(PodSpan::pod))
                .map(span -> new Sandbox(
                        Duration.ofMillis(span.at() - from),
                        named ? span.pod() : hashed(span.pod()),
                        span.end().isPresent()
                                ? Optional.of(
                                        Duration.ofMillis(Math.max(0, span.end().getAsLong() - span.answered())))
                                : Optional.empty(),
                        events.ownerKind(span.pod())))
                .toList();
    }

    /** As {@code lab record} does: the same for the same pod, whichever file it is from. */
    private static String hashed(String pod) {
        return "n-" + hash(pod.substring(0, pod.indexOf('/'))) + "/p-" + hash(pod);
    }

    private static String hash(String text) {
        return Digests.sha256(text.getBytes(StandardCharsets.UTF_8)).substring(0, 12);
    }
}
