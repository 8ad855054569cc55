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
 * @param pod as the engine knows it
 * @param details the rest, for operators
 * @param noted its annotation {@code k8s.aliyun.com/pod-ips}, or empty text
 */
public record WatchedPod(Pod pod, PodDetails details, String noted) {
    /**
     * What operators ask of a pod and the engine does not.
     *
     * @param phase Pending, Running, Succeeded, Failed or Unknown; empty text where the server did not say
     * @param owner kind and name of what controls it: {@code StatefulSet/web}; empty text where nothing does
     * @param deleting since when its deletion is under way
     */
    public record PodDetails(String phase, String owner, Optional<Instant> deleting) {
        /** Of a pod of which nothing is known. */
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
                // that it is there says enough
                return Optional.of(Instant.EPOCH);
            }
        }
    }
}
