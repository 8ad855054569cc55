package io.enipam.lab.logs;

import io.enipam.lab.logs.Timeline.Entry;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kubelet's log lines of pods, which it writes with {@code --v=2} and more ({@code pkg/kubelet/kubelet.go}, {@code
 * kuberuntime/util/util.go}):
 *
 * <pre>
 * "No sandbox for pod can be found. Need to start a new one" pod="NAMESPACE/NAME"     it makes a sandbox now
 * "SyncLoop (PLEG): event for pod" pod="NAMESPACE/NAME" event={"ID":"UID","Type":"ContainerStarted","Data":"ID"}
 * "SyncLoop REMOVE" source="api" pods=["NAMESPACE/NAME",...]                          the pod is gone
 * </pre>
 *
 * PLEG events are of sandboxes, too, and come within a second: the first that started answers the ADD, and with the last that died the
 * sandbox is gone. Before Kubernetes 1.26 the event is {@code &{ID:UID Type:ContainerStarted Data:ID}}, and pods have no quotes.
 */
final class KubeletPods {
    static final String NEEDED = "No sandbox for pod can be found. Need to start a new one";
    static final String PLEG = "SyncLoop (PLEG): event for pod";
    static final String REMOVED = "SyncLoop REMOVE";

    private static final Pattern POD = Pattern.compile(" pod=\"([^\"/]+)/([^\"/]+)\"");
    private static final Pattern EVENT =
            Pattern.compile(" event=&?\\{\"?ID\"?:[^ ,]+[ ,]+\"?Type\"?:\"?(\\w+)\"?[ ,]+\"?Data\"?:\"?(\\w+)\"?}");
    private static final Pattern PODS = Pattern.compile(" pods=\\[([^]]*)]");

    private final PodNames names;
    private final Problem.Counts problems;
    private final Timeline<Seen> timeline;

    private sealed interface Seen {
        String pod();
    }

    private record Needed(String pod) implements Seen {}

    private record Started(String pod, String container) implements Seen {}

    private record Died(String pod, String container) implements Seen {}

    private record Removed(String pod) implements Seen {}

    KubeletPods(PodNames names, Problem.Counts problems) {
        this.names = names;
        this.problems = problems;
        this.timeline = new Timeline<>(problems);
    }

    Timeline<?> timeline() {
        return timeline;
    }

    /** Takes a line's text behind its header, as klog writes it. */
    void take(long at, String text, String where) throws TraceException {
        timeline.passes(at, where);
        if (text.startsWith('"' + NEEDED)) {
            Matcher pod = POD.matcher(text);
            if (pod.find()) {
                needed(at, pod.group(1), pod.group(2), where);
            }
        } else if (text.startsWith('"' + PLEG)) {
            Matcher pod = POD.matcher(text);
            Matcher event = EVENT.matcher(text);
            if (pod.find() && event.find()) {
                pleg(at, pod.group(1), pod.group(2), event.group(1), event.group(2), where);
            }
        } else if (text.startsWith('"' + REMOVED)) {
            Matcher pods = PODS.matcher(text);
            if (pods.find()) {
                for (String pod : pods.group(1).split("[\", ]+")) {
                    int slash = pod.indexOf('/');
                    if (slash > 0) {
                        removed(at, pod.substring(0, slash), pod.substring(slash + 1), where);
                    }
                }
            }
        }
    }

    void needed(long at, String namespace, String name, String where) throws TraceException {
        Optional<String> pod = names.pod(namespace, name, where);
        if (pod.isPresent()) {
            timeline.add(at, new Needed(pod.get()));
        }
    }

    void pleg(long at, String namespace, String name, String type, String container, String where)
            throws TraceException {
        Optional<String> pod = names.pod(namespace, name, where);
        if (pod.isPresent() && type.equals("ContainerStarted")) {
            timeline.add(at, new Started(pod.get(), names.same(container)));
        } else if (pod.isPresent() && type.equals("ContainerDied")) {
            timeline.add(at, new Died(pod.get(), names.same(container)));
        }
    }

    void removed(long at, String namespace, String name, String where) throws TraceException {
        Optional<String> pod = names.pod(namespace, name, where);
        if (pod.isPresent()) {
            timeline.add(at, new Removed(pod.get()));
        }
    }

    /** A pod that needs a sandbox, or has one. */
    private static final class Open {
        private final String pod;
        private final long at;
        private OptionalLong answered = OptionalLong.empty();
        /** The sandbox among them. */
        private final Set<String> containers = new HashSet<>();

        Open(String pod, long at) {
            this.pod = pod;
            this.at = at;
        }

        PodSpan until(OptionalLong end) {
            return new PodSpan("", pod, at, answered.orElse(at), end);
        }
    }

    List<PodSpan> spans() {
        List<PodSpan> spans = new ArrayList<>();
        Map<String, Open> pods = new HashMap<>();
        Set<String> ended = new HashSet<>();
        Set<String> before = new HashSet<>();
        for (Entry<Seen> entry : timeline.inOrder()) {
            long at = entry.at();
            Seen seen = entry.what();
            String pod = seen.pod();
            Open open = pods.get(pod);
            if (seen instanceof Needed) {
                if (open != null && open.answered.isPresent()) {
                    problems.add(Problem.NO_END_SEEN, 1, timeline.moment(at));
                    spans.add(open.until(OptionalLong.of(at)));
                    open = null;
                }
                if (open == null) {
                    pods.put(pod, new Open(pod, at));
                }
            } else if (seen instanceof Started started) {
                if (open == null && ended.contains(pod)) {
                    // its sandbox died, and the kubelet made another one
                    open = new Open(pod, at);
                    pods.put(pod, open);
                }
                if (open != null) {
                    open.answered = open.answered.isEmpty() ? OptionalLong.of(at) : open.answered;
                    open.containers.add(started.container());
                } else if (before.add(pod)) {
                    problems.add(Problem.NO_BEGINNING, 1, timeline.moment(at));
                }
            } else if (open == null) {
                if (!ended.contains(pod) && before.add(pod)) {
                    problems.add(Problem.NO_BEGINNING, 1, timeline.moment(at));
                }
            } else if (seen instanceof Removed
                    || seen instanceof Died died
                            && open.containers.remove(died.container())
                            && open.containers.isEmpty()) {
                if (open.answered.isEmpty()) {
                    problems.add(Problem.NEVER_SERVED, 1, timeline.moment(open.at));
                }
                spans.add(open.until(OptionalLong.of(at)));
                pods.remove(pod);
                ended.add(pod);
            }
        }
        pods.values().forEach(open -> spans.add(open.until(OptionalLong.empty())));
        return spans;
    }
}
