package io.enipam.kubernetes.cluster;

import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of a kind as parts see them, in the place where an informer keeps its own: of the client's objects it has what the informer
 * compares. Thread-safe.
 */
final class ObjectStore extends BasicItemStore<GenericKubernetesResource> {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

    private final ObjectKind kind;

    ObjectStore(ObjectKind kind) {
        super(Cache::metaNamespaceKeyFunc);
        this.kind = kind;
    }

    private static final class Kept extends GenericKubernetesResource {
        private static final long serialVersionUID = 1L;
        private final transient ClusterObject object;

        private Kept(GenericKubernetesResource from, ClusterObject object) {
            this.object = object;
            setApiVersion(from.getApiVersion());
            setKind(from.getKind());
            setMetadata(new ObjectMetaBuilder()
                    .withNamespace(from.getMetadata().getNamespace())
                    .withName(from.getMetadata().getName())
                    .withUid(from.getMetadata().getUid())
                    .withResourceVersion(from.getMetadata().getResourceVersion())
                    .build());
        }
    }

    @Override
    public @Nullable GenericKubernetesResource put(String key, GenericKubernetesResource object) {
        try {
            return super.put(key, new Kept(object, ObjectMapping.of(kind, object)));
        } catch (IllegalArgumentException e) {
            LOG.warn("the {} {} is passed over: {}", kind.kind(), key, e.getMessage());
            return super.remove(key);
        }
    }

    Optional<ClusterObject> find(String key) {
        return get(key) instanceof Kept kept ? Optional.of(kept.object) : Optional.empty();
    }

    List<ClusterObject> all() {
        return values().map(each -> ((Kept) each).object).toList();
    }

    Stream<String> keys() {
        return keySet();
    }
}
