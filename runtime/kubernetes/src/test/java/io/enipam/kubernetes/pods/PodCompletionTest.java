package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.testing.Manifests;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodCompletionTest {
    private static final ContainerStatus RUNNING = new ContainerStatusBuilder()
            .withName("main")
            .withNewState()
            .withNewRunning()
            .withStartedAt("2026-11-01T00:00:00Z")
            .endRunning()
            .endState()
            .build();
    private static final ContainerStatus TERMINATED = new ContainerStatusBuilder()
            .withName("main")
            .withNewState()
            .withNewTerminated()
            .withExitCode(137)
            .endTerminated()
            .endState()
            .build();

    @Test
    void aPodThatIsCalledFailedAndSaysGoodbyeToItsPeersIsNotOver() {
        Pod evicted = new PodBuilder(Manifests.phase("web-0", "Failed"))
                .editStatus()
                .withReason("Evicted")
                .addToContainerStatuses(TERMINATED, RUNNING)
                .endStatus()
                .build();
        assertFinished(evicted, false);
        assertFinished(
                new PodBuilder(evicted)
                        .editStatus()
                        .withContainerStatuses(TERMINATED, TERMINATED)
                        .endStatus()
                        .build(),
                true);
        assertFinished(
                new PodBuilder(evicted)
                        .editStatus()
                        .withContainerStatuses(TERMINATED)
                        .addToEphemeralContainerStatuses(RUNNING)
                        .endStatus()
                        .build(),
                false);
    }

    @ParameterizedTest
    @CsvSource({
        "Failed,Evicted,false",
        "Failed,Shutdown,false",
        "Failed,Preempting,false",
        "Failed,,true",
        "Failed,DeadlineExceeded,true",
        "Succeeded,,true",
        "Running,,false",
        "Pending,,false"
    })
    void withoutAWordOnContainersThePhaseCountsUnlessTheKubeletWritesItTooEarly(
            String phase, String reason, boolean finished) {
        assertFinished(
                new PodBuilder(Manifests.phase("web-0", phase))
                        .editStatus()
                        .withReason(reason)
                        .endStatus()
                        .build(),
                finished);
    }

    /** By the API server's word, and by what the watch keeps of it. */
    private static void assertFinished(Pod pod, boolean finished) {
        assertThat(ManifestParser.finished(pod)).isEqualTo(finished);
        assertThat(ManifestParser.finished(TrimmedPodCache.trimmed(pod))).isEqualTo(finished);
    }
}
