package io.enipam.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * JSON and YAML of the API server's objects, for all requests of the daemon.
 *
 * <p>The client's own mapper loads the classes of every kind of object, a thousand, of which the daemon uses a dozen: this one
 * goes by the type that is asked for, and knows the kinds that a watch delivers. Of pods it reads only the fields that are
 * listed here; a manifest may have a megabyte. So a pod that was read is never written back: all changes are patches.
 */
public final class ApiSerialization {
    /** Thread-safe. */
    public static final KubernetesSerialization INSTANCE = instance();

    private ApiSerialization() {}

    private static KubernetesSerialization instance() {
        ObjectMapper mapper = new ObjectMapper()
                .addMixIn(PodSpec.class, ReadOfSpec.class)
                .addMixIn(PodStatus.class, ReadOfStatus.class)
                .addMixIn(Container.class, ReadOfContainer.class)
                .addMixIn(ContainerStatus.class, ReadOfContainerStatus.class)
                .addMixIn(ContainerState.class, ReadOfContainerState.class)
                .addMixIn(ObjectMeta.class, ReadOfMeta.class);
        KubernetesSerialization serialization = new KubernetesSerialization(mapper, false);
        serialization.registerKubernetesResource(Pod.class);
        serialization.registerKubernetesResource(Status.class);
        return serialization;
    }

    /** When an object was deleted, if it was; the epoch if the server's text is no time, since its presence is enough. */
    public static Optional<Instant> deletion(ObjectMeta meta) {
        try {
            return Optional.ofNullable(meta.getDeletionTimestamp()).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.of(Instant.EPOCH);
        }
    }

    @JsonIncludeProperties({"nodeName", "hostNetwork", "containers"})
    private interface ReadOfSpec {}

    @JsonIncludeProperties({
        "phase",
        "reason",
        "message",
        "podIP",
        "podIPs",
        "containerStatuses",
        "initContainerStatuses",
        "ephemeralContainerStatuses"
    })
    private interface ReadOfStatus {}

    @JsonIncludeProperties({"name", "resources"})
    private interface ReadOfContainer {}

    @JsonIncludeProperties({"name", "state"})
    private interface ReadOfContainerStatus {}

    @JsonIncludeProperties("running")
    private interface ReadOfContainerState {}

    /** Of all kinds of objects, and written, too: of events, nodes, and what parts of plugins create. */
    @JsonIncludeProperties({
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers"
    })
    private interface ReadOfMeta {}
}
