package io.enipam.shell.fleet;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod in which a daemon runs, or should; {@code trouble} is why not, as {@code CrashLoopBackOff: back-off 5m0s}, or
 * empty.
 */
public record DaemonPod(String node, String namespace, String name, String container, String trouble) {
    private static final String MAIN_CONTAINER = "kubectl.kubernetes.io/default-container";

    /**
     * The best first: while a pod is replaced there are two. A pod that is not ready is taken if there is no other: it
     * needs a look.
     */
    private static final Comparator<Pod> BEST = Comparator.comparing((Pod pod) -> !runs(pod))
            .thenComparing(DaemonPod::leaves)
            .thenComparing(pod -> !ready(pod))
            .thenComparing(Comparator.comparing(DaemonPod::created).reversed())
            .thenComparing(pod -> pod.getMetadata().getName());

    boolean usable() {
        return trouble.isEmpty();
    }

    /** The pod to go to among those of one node; empty if there is none. */
    static Optional<DaemonPod> best(List<Pod> pods) {
        return pods.stream().min(BEST).map(DaemonPod::told);
    }

    private static DaemonPod told(Pod pod) {
        return new DaemonPod(
                pod.getSpec().getNodeName(),
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                container(pod),
                runs(pod) ? "" : why(pod));
    }

    /** The one that kubectl would take. */
    private static String container(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String named = annotations == null ? null : annotations.get(MAIN_CONTAINER);
        return named != null
                ? named
                : pod.getSpec().getContainers().isEmpty()
                        ? ""
                        : pod.getSpec().getContainers().get(0).getName();
    }

    private static Optional<ContainerStatus> status(Pod pod) {
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getContainerStatuses().stream()
                        .filter(status -> status.getName().equals(container(pod)))
                        .findFirst();
    }

    private static boolean runs(Pod pod) {
        return status(pod)
                .map(status -> status.getState() != null && status.getState().getRunning() != null)
                .orElse(false);
    }

    private static boolean ready(Pod pod) {
        return status(pod).map(status -> Boolean.TRUE.equals(status.getReady())).orElse(false);
    }

    private static boolean leaves(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() != null;
    }

    private static String created(Pod pod) {
        String time = pod.getMetadata().getCreationTimestamp();
        return time == null ? "" : time;
    }

    /** What keeps it from running: the container's own reason, else the pod's, else its phase. */
    private static String why(Pod pod) {
        Optional<ContainerStatus> status = status(pod).filter(known -> known.getState() != null);
        ContainerStateWaiting waiting =
                status.map(known -> known.getState().getWaiting()).orElse(null);
        if (waiting != null && waiting.getReason() != null) {
            return reason(waiting.getReason(), waiting.getMessage());
        }
        ContainerStateTerminated ended =
                status.map(known -> known.getState().getTerminated()).orElse(null);
        if (ended != null) {
            return reason(
                    (ended.getReason() == null ? "ended" : ended.getReason()) + " with status " + ended.getExitCode(),
                    ended.getMessage());
        }
        if (pod.getStatus() != null && pod.getStatus().getReason() != null) {
            return reason(pod.getStatus().getReason(), pod.getStatus().getMessage());
        }
        return pod.getStatus() == null || pod.getStatus().getPhase() == null
                ? "not started yet"
                : pod.getStatus().getPhase();
    }

    private static String reason(String reason, String message) {
        return message == null || message.isEmpty() ? reason : reason + ": " + message;
    }
}
