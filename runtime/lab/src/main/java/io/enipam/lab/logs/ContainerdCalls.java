package io.enipam.lab.logs;

import io.enipam.lab.logs.Timeline.Entry;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * containerd's log lines of sandboxes, which it writes around each CNI call (its {@code internal/cri/instrument} and {@code sandbox_stop.go}):
 *
 * <pre>
 * RunPodSandbox for METADATA                                  before the ADD
 * RunPodSandbox for METADATA returns sandbox id "ID"          the ADD was answered
 * RunPodSandbox for METADATA failed, error                    the kubelet will try again
 * StopPodSandbox for "ID"                                     before the DEL
 * TearDown network for sandbox "ID" successfully              the DEL was answered
 * </pre>
 *
 * METADATA is {@code &PodSandboxMetadata{Name:web-0,Uid:...,Namespace:default,Attempt:0,}} up to containerd 2.1, and from 2.2 on {@code
 * name:"web-0" uid:"..." namespace:"default" attempt:1}, with one blank or two between.
 */
final class ContainerdCalls {
    private static final Pattern RUN = Pattern.compile(
            "RunPod[Ss]andbox for (&PodSandboxMetadata\\{.*?}|name:.*?)( returns sandbox id \"([^\"]+)\"| failed, error.*)?$");
    private static final Pattern UP_TO_2_1 = Pattern.compile("\\{Name:([^,]*),Uid:([^,]*),Namespace:([^,]*),.*");
    private static final Pattern NAME = Pattern.compile("(?:^| )name:\"([^\"]*)\"");
    private static final Pattern UID = Pattern.compile("(?:^| )uid:\"([^\"]*)\"");
    private static final Pattern NAMESPACE = Pattern.compile("(?:^| )namespace:\"([^\"]*)\"");
    private static final Pattern STOP = Pattern.compile("StopPodSandbox for \"([^\"]+)\"");
    private static final Pattern TORN_DOWN = Pattern.compile("TearDown network for sandbox \"([^\"]+)\" successfully");

    private final PodNames names;
    private final Problem.Counts problems;
    private final Timeline<Call> timeline;

    private sealed interface Call {}

    /** The key of an attempt is pod and UID: a pod of a StatefulSet comes again under its name. */
    private record Run(String pod, String key) implements Call {}

    private record Ran(String pod, String key, String sandbox) implements Call {}

    private record Failed(String pod, String key) implements Call {}

    private record Stopped(String sandbox, boolean tornDown) implements Call {}

    ContainerdCalls(PodNames names, Problem.Counts problems) {
        this.names = names;
        this.problems = problems;
        this.timeline = new Timeline<>(problems);
    }

    Timeline<?> timeline() {
        return timeline;
    }

    /** Takes a line's message, without the quotes around it. */
    void take(long at, String message, String where) throws TraceException {
        timeline.passes(at, where);
        if (message.startsWith("RunPod")) {
            Matcher run = RUN.matcher(message);
            if (run.matches()) {
                run(at, run, where);
            }
        } else if (message.startsWith("StopPodSandbox") || message.startsWith("TearDown")) {
            for (Pattern pattern : List.of(STOP, TORN_DOWN)) {
                Matcher stop = pattern.matcher(message);
                if (stop.matches()) {
                    timeline.add(at, new Stopped(names.same(stop.group(1)), pattern == TORN_DOWN));
                }
            }
        }
    }

    private void run(long at, Matcher run, String where) throws TraceException {
        String metadata = run.group(1);
        Matcher old = UP_TO_2_1.matcher(metadata);
        boolean is = old.find();
        Optional<String> pod = is
                ? names.pod(old.group(3), old.group(1), where)
                : names.pod(first(NAMESPACE, metadata), first(NAME, metadata), where);
        if (pod.isEmpty()) {
            return;
        }
        String key = names.same(pod.get() + " " + (is ? old.group(2) : first(UID, metadata)));
        if (run.group(2) == null) {
            timeline.add(at, new Run(pod.get(), key));
        } else if (run.group(3) == null) {
            timeline.add(at, new Failed(pod.get(), key));
        } else {
            timeline.add(at, new Ran(pod.get(), key, names.same(run.group(3))));
        }
    }

    private static String first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? found.group(1) : "";
    }

    /** Attempts at a sandbox for one pod, of which none has succeeded. */
    private record Attempts(String pod, long first, OptionalLong failed) {}

    private record Open(String pod, long at, long answered, OptionalLong stopped, OptionalLong tornDown) {
        Open stopped(long now, boolean down) {
            return new Open(
                    pod,
                    at,
                    answered,
                    stopped.isEmpty() ? OptionalLong.of(now) : stopped,
                    down && tornDown.isEmpty() ? OptionalLong.of(now) : tornDown);
        }

        PodSpan span() {
            return new PodSpan("", pod, at, answered, tornDown.isPresent() ? tornDown : stopped);
        }
    }

    List<PodSpan> spans() {
        Map<String, Attempts> attempts = new LinkedHashMap<>();
        Map<String, Open> sandboxes = new LinkedHashMap<>();
        Set<String> before = new HashSet<>();
        for (Entry<Call> entry : timeline.inOrder()) {
            long at = entry.at();
            Call call = entry.what();
            if (call instanceof Run run) {
                attempts.putIfAbsent(run.key(), new Attempts(run.pod(), at, OptionalLong.empty()));
            } else if (call instanceof Failed failed) {
                Attempts known = attempts.get(failed.key());
                long first = known == null ? at : known.first();
                attempts.put(failed.key(), new Attempts(failed.pod(), first, OptionalLong.of(at)));
            } else if (call instanceof Ran ran) {
                Attempts known = attempts.remove(ran.key());
                long first = known == null ? at : known.first();
                sandboxes.put(
                        ran.sandbox(), new Open(ran.pod(), first, at, OptionalLong.empty(), OptionalLong.empty()));
            } else if (call instanceof Stopped stopped) {
                boolean known = sandboxes.computeIfPresent(
                                stopped.sandbox(), (id, open) -> open.stopped(at, stopped.tornDown()))
                        != null;
                if (!known && before.add(stopped.sandbox())) {
                    problems.add(Problem.NO_BEGINNING, 1, timeline.moment(at));
                }
            }
        }
        List<PodSpan> spans = new ArrayList<>();
        sandboxes.values().forEach(open -> spans.add(open.span()));
        for (Attempts one : attempts.values()) {
            if (one.failed().isPresent()) {
                problems.add(Problem.NEVER_SERVED, 1, timeline.moment(one.first()));
            }
            spans.add(new PodSpan("", one.pod(), one.first(), one.first(), one.failed()));
        }
        return spans;
    }
}
