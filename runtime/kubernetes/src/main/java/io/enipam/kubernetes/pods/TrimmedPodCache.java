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
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The watch's cache: keeps only those parts of a pod that are read. A manifest may have a megabyte, most of it managed
 * fields and environment. Thread-safe.
 */
final class TrimmedPodCache extends BasicItemStore<Pod> {
    /** Longer than any meaningful value; the truncated text of a longer one is just as invalid. */
    private static final int LONGEST = 300;
    /** The kept container data: whether one requests an ENI. */
    private static final Container ONE_WITH_AN_ENI = new ContainerBuilder()
            .withNewResources()
            .addToRequests(PodAnnotations.ENI_RESOURCE, new Quantity("1"))
            .endResources()
            .build();

    TrimmedPodCache() {
        super(Cache::metaNamespaceKeyFunc);
    }

    @Override
    public @Nullable Pod put(String key, Pod pod) {
        return super.put(key, trimmed(pod));
    }

    static Pod trimmed(Pod pod) {
        ObjectMeta meta = pod.getMetadata();
        Map<String, String> annotations = new HashMap<>(ManifestParser.shownAnnotations(pod));
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
                        .withLabels(ManifestParser.labels(pod))
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
                    .withContainerStatuses(ManifestParser.trimmedContainers(status))
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
