package io.enipam.shell.fleet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A pod in which a daemon runs, or why it does not, as {@code CrashLoopBackOff: back-off 5m0s} (else empty). */
public record DaemonPod(String node, String namespace, String name, String container, String trouble) {
    private static final String MAIN_CONTAINER = "kubectl.kubernetes.io/default-container";

    /** The best first: while a pod is replaced there are two. One that is not ready is taken if there is no other. */
    private static final Comparator<Pod> BEST = Comparator.comparing((Pod pod) -> !runs(pod))
            .thenComparing(pod -> pod.getMetadata().getDeletionTimestamp() != null)
            .thenComparing(pod -> !ready(pod))
            .thenComparing(DaemonPod::created, Comparator.reverseOrder())
            .thenComparing(pod -> pod.getMetadata().getName());

    /** The pod to go to among those of one node; empty if there is none. */
    static Optional<DaemonPod> best(List<Pod> pods) {
        return pods.stream()
                .min(BEST)
                .map(pod -> new DaemonPod(
                        pod.getSpec().getNodeName(),
                        pod.getMetadata().getNamespace(),
                        pod.getMetadata().getName(),
                        container(pod),
                        runs(pod) ? "" : why(pod)));
    }

    /** The one that kubectl would take. */
    private static String container(Pod pod) {
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        String named = annotations == null ? null : annotations.get(MAIN_CONTAINER);
        List<Container> all = pod.getSpec().getContainers();
        return named != null ? named : all.isEmpty() ? "" : all.get(0).getName();
    }

    private static Optional<ContainerStatus> status(Pod pod) {
        return Optional.ofNullable(pod.getStatus()).stream()
                .flatMap(status -> status.getContainerStatuses().stream())
                .filter(status -> status.getName().equals(container(pod)))
                .findFirst();
    }

    private static Optional<ContainerState> state(Pod pod) {
        return status(pod).map(ContainerStatus::getState);
    }

    private static boolean runs(Pod pod) {
        return state(pod).map(ContainerState::getRunning).isPresent();
    }

    private static boolean ready(Pod pod) {
        return status(pod).map(ContainerStatus::getReady).orElse(false);
    }

    private static String created(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getCreationTimestamp(), "");
    }

    /** What keeps it from running: the container's own reason, else the pod's, else its phase. */
    private static String why(Pod pod) {
        Optional<ContainerStateWaiting> waiting = state(pod).map(ContainerState::getWaiting);
        if (waiting.map(ContainerStateWaiting::getReason).isPresent()) {
            return reason(waiting.get().getReason(), waiting.get().getMessage());
        }
        Optional<ContainerStateTerminated> ended = state(pod).map(ContainerState::getTerminated);
        if (ended.isPresent()) {
            String reason = Objects.requireNonNullElse(ended.get().getReason(), "ended");
            return reason(
                    reason + " with status " + ended.get().getExitCode(),
                    ended.get().getMessage());
        }
        PodStatus status = pod.getStatus();
        if (status != null && status.getReason() != null) {
            return reason(status.getReason(), status.getMessage());
        }
        return status == null || status.getPhase() == null ? "not started yet" : status.getPhase();
    }

    private static String reason(String reason, String message) {
        return message == null || message.isEmpty() ? reason : reason + ": " + message;
    }
}
