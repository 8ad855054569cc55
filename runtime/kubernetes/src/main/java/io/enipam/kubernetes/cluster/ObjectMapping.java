package io.enipam.kubernetes.cluster;

import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects of the client and of the SDK. */
final class ObjectMapping {
    /** Most of a node's size, of which a controller reads nothing. */
    private static final List<String> LEFT_OUT_OF_NODES = List.of("images", "volumesAttached", "volumesInUse");

    private static final String METADATA = "metadata";

    private ObjectMapping() {}

    /** @throws IllegalArgumentException if its name could be no part of a URL */
    static ClusterObject of(ObjectKind kind, GenericKubernetesResource object) {
        ObjectMeta meta = object.getMetadata();
        Map<String, Object> body = new HashMap<>(orEmpty(object.getAdditionalProperties()));
        if (kind.equals(ObjectKind.NODE) && body.get("status") instanceof Map<?, ?> status) {
            Map<Object, Object> kept = new HashMap<>(status);
            LEFT_OUT_OF_NODES.forEach(kept::remove);
            body.put("status", kept);
        }
        if (meta.getCreationTimestamp() != null) {
            body.put(METADATA, Map.of("creationTimestamp", meta.getCreationTimestamp()));
        }
        return new ClusterObject(
                new ObjectRef(kind, kind.namespaced() ? orEmpty(meta.getNamespace()) : "", orEmpty(meta.getName())),
                orEmpty(meta.getUid()),
                orEmpty(meta.getResourceVersion()),
                orEmpty(meta.getLabels()),
                orEmpty(meta.getAnnotations()),
                meta.getFinalizers() == null ? List.of() : meta.getFinalizers(),
                ApiSerialization.deletion(meta),
                body);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
        return map == null ? Map.of() : map;
    }

    /** As it is created. */
    static GenericKubernetesResource of(ClusterObject object) {
        GenericKubernetesResource made = inHand(object.ref());
        made.setMetadata(new ObjectMetaBuilder(made.getMetadata())
                .withLabels(object.labels())
                .withAnnotations(object.annotations())
                .withFinalizers(object.finalizers())
                .build());
        Map<String, Object> body = new HashMap<>(object.body());
        body.remove(METADATA); // the server says when it was created
        made.setAdditionalProperties(body);
        return made;
    }

    /** Name and kind alone: otherwise the client would first get the object from the server. */
    static GenericKubernetesResource inHand(ObjectRef ref) {
        GenericKubernetesResource object = new GenericKubernetesResource();
        object.setApiVersion(ref.kind().apiVersion());
        object.setKind(ref.kind().kind());
        object.setMetadata(new ObjectMetaBuilder()
                .withName(ref.name())
                .withNamespace(ref.namespace().isEmpty() ? null : ref.namespace())
                .build());
        return object;
    }

    static ResourceDefinitionContext context(ObjectKind kind) {
        return new ResourceDefinitionContext.Builder()
                .withGroup(kind.group())
                .withVersion(kind.version())
                .withKind(kind.kind())
                .withPlural(kind.plural())
                .withNamespaced(kind.namespaced())
                .build();
    }

    /** The URL's path. All parts of it were checked when they became a reference. */
    static String path(ObjectRef ref) {
        ObjectKind kind = ref.kind();
        return (kind.group().isEmpty() ? "/api/" : "/apis/")
                + kind.apiVersion()
                + (ref.namespace().isEmpty() ? "/" : "/namespaces/" + ref.namespace() + "/")
                + kind.plural() + "/" + ref.name();
    }
}
