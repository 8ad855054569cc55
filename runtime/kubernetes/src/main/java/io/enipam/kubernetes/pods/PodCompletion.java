package io.enipam.kubernetes.pods;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A pod has run to its end if its phase says so and none of its containers runs. Kubelets set the phase Failed before
 * they stop a pod that they evict, or stop for a shutdown, and the pod may use its network for minutes afterwards. Up
 * to 1.21 they omitted the containers: then the phase proves nothing, and the pod ends with its DEL or its deletion.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase">pod phase</a>
 */
final class PodCompletion {
    private static final Set<String> WRITTEN_BEFORE_THE_END =
            Set.of("Evicted", "Preempting", "Shutdown", "NodeShutdown", "Terminated");

    private static final ContainerStatus RUNNING = new ContainerStatusBuilder()
            .withNewState()
            .withNewRunning()
            .endRunning()
            .endState()
            .build();
    private static final ContainerStatus NOT_RUNNING = new ContainerStatusBuilder().build();

    private PodCompletion() {}

    static boolean finished(@Nullable PodStatus status) {
        if (status == null || !("Succeeded".equals(status.getPhase()) || "Failed".equals(status.getPhase()))) {
            return false;
        }
        boolean saysNothingOfContainers = containers(status).findAny().isEmpty();
        return !(saysNothingOfContainers && WRITTEN_BEFORE_THE_END.contains(String.valueOf(status.getReason())))
                && !runs(status);
    }

    /** The kept container data: whether any exists, and whether one runs. */
    static List<ContainerStatus> trimmed(PodStatus status) {
        if (runs(status)) {
            return List.of(RUNNING);
        }
        return containers(status).findAny().isPresent() ? List.of(NOT_RUNNING) : List.of();
    }

    private static boolean runs(PodStatus status) {
        return containers(status)
                .anyMatch(container ->
                        container.getState() != null && container.getState().getRunning() != null);
    }

    private static Stream<ContainerStatus> containers(PodStatus status) {
        return Stream.of(
                        status.getInitContainerStatuses(),
                        status.getContainerStatuses(),
                        status.getEphemeralContainerStatuses())
                .filter(Objects::nonNull)
                .flatMap(Collection::stream);
    }
}
