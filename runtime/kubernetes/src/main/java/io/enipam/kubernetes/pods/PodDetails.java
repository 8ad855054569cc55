package io.enipam.kubernetes.pods;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What people ask of a pod and the engine does not.
 *
 * @param phase Pending, Running, Succeeded, Failed or Unknown; empty text where the server did not say
 * @param owner kind and name of what controls it: {@code StatefulSet/web}; empty text for nobody
 * @param deleting since when its deletion is under way
 */
public record PodDetails(String phase, String owner, Optional<Instant> deleting) {
    static PodDetails of(Pod pod) {
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
