package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pod of this node as the API server reported it.
 *
 * @param pod the engine's view
 * @param details the rest, for operators
 * @param noted its annotation {@code k8s.aliyun.com/pod-ips}, or empty text
 */
public record WatchedPod(Pod pod, PodDetails details, String noted) {
    /**
     * Pod data that operators inspect and the engine does not use.
     *
     * @param phase Pending, Running, Succeeded, Failed or Unknown; empty text if the server gives none
     * @param owner kind and name of the controller: {@code StatefulSet/web}; empty text without one
     * @param deleting when its deletion began
     */
    public record PodDetails(String phase, String owner, Optional<Instant> deleting) {
        /** For a pod without known data. */
        public static final PodDetails NONE = new PodDetails("", "", Optional.empty());

        static PodDetails of(io.fabric8.kubernetes.api.model.Pod pod) {
            String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
            return new PodDetails(
                    phase == null ? "" : phase,
                    owner(pod.getMetadata().getOwnerReferences()),
                    moment(pod.getMetadata().getDeletionTimestamp()));
        }

        private static String owner(@Nullable List<OwnerReference> owners) {
            return owners == null
                    ? ""
                    : owners.stream()
                            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                            .map(owner -> owner.getKind() + "/" + owner.getName())
                            .findFirst()
                            .orElse("");
        }

        private static Optional<Instant> moment(@Nullable String text) {
            try {
                return Optional.ofNullable(text).map(Instant::parse);
            } catch (DateTimeParseException e) {
                // its presence is enough
                return Optional.of(Instant.EPOCH);
            }
        }
    }
}
