package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.pods.ManifestParser.PodAnnotations;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The watch's cache: keeps only those parts of a pod that are read. A manifest may have a megabyte, most of it managed
 * fields and environment. Thread-safe.
 */
final class TrimmedPodCache implements ItemStore<Pod> {
    /** Longer than any meaningful value; the truncated text of a longer one is just as invalid. */
    private static final int LONGEST = 300;
    /** The kept container data: whether one requests an ENI. */
    private static final Container ONE_WITH_AN_ENI = new ContainerBuilder()
            .withNewResources()
            .addToRequests(PodAnnotations.ENI_RESOURCE, new Quantity("1"))
            .endResources()
            .build();

    private final Map<String, Pod> pods = new ConcurrentHashMap<>();

    @Override
    public String getKey(Pod pod) {
        return Cache.metaNamespaceKeyFunc(pod);
    }

    @Override
    public @Nullable Pod put(String key, Pod pod) {
        return pods.put(key, trimmed(pod));
    }

    @Override
    public @Nullable Pod remove(String key) {
        return pods.remove(key);
    }

    @Override
    public Stream<String> keySet() {
        return pods.keySet().stream();
    }

    @Override
    public Stream<Pod> values() {
        return pods.values().stream();
    }

    @Override
    public int size() {
        return pods.size();
    }

    @Override
    public @Nullable Pod get(String key) {
        return pods.get(key);
    }

    static Pod trimmed(Pod pod) {
        ObjectMeta meta = pod.getMetadata();
        Map<String, String> annotations = new HashMap<>();
        if (meta.getAnnotations() != null) {
            for (String key : PodAnnotations.ALL) {
                String text = meta.getAnnotations().get(key);
                if (text != null) {
                    annotations.put(key, text.length() <= LONGEST ? text : text.substring(0, LONGEST));
                }
            }
        }
        PodBuilder small = new PodBuilder()
                .withMetadata(new ObjectMetaBuilder()
                        .withNamespace(meta.getNamespace())
                        .withName(meta.getName())
                        .withUid(meta.getUid())
                        .withResourceVersion(meta.getResourceVersion())
                        .withDeletionTimestamp(meta.getDeletionTimestamp())
                        .withAnnotations(annotations)
                        .withOwnerReferences(controllers(meta))
                        .build());
        PodSpec spec = pod.getSpec();
        if (spec != null) {
            small.withNewSpec()
                    .withHostNetwork(spec.getHostNetwork())
                    .withNodeName(spec.getNodeName())
                    .withContainers(ManifestParser.requestsEni(pod) ? List.of(ONE_WITH_AN_ENI) : List.of())
                    .endSpec();
        }
        PodStatus status = pod.getStatus();
        if (status != null) {
            small.withNewStatus()
                    .withPhase(status.getPhase())
                    .withReason(status.getReason())
                    .withContainerStatuses(PodCompletion.trimmed(status))
                    .withPodIP(status.getPodIP())
                    .withPodIPs(status.getPodIPs())
                    .endStatus();
        }
        return small.build();
    }

    /** At most one, by the API's rules: the other owners only keep a pod from being collected. */
    private static List<OwnerReference> controllers(ObjectMeta meta) {
        return meta.getOwnerReferences() == null
                ? List.of()
                : meta.getOwnerReferences().stream()
                        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                        .limit(1)
                        .toList();
    }
}
