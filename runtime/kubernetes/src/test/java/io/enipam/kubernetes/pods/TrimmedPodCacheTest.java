package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.kubernetes.pods.ManifestParser.PodAnnotations;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.testing.Manifests;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the watch keeps in memory of what the API server tells it. */
class TrimmedPodCacheTest {
    private static final int PODS = 500;
    private static final int A_KIBIBYTE = 1024;
    /** One text for all: the test needs the megabytes no more than the daemon does. */
    private static final String MEBIBYTE = "x".repeat(1 << 20);

    private final TrimmedPodCache pods = new TrimmedPodCache();

    @Test
    void ofFiveHundredPodsWithAMebibyteEachLessThanAKibibyteEachIsKept() {
        for (int i = 0; i < PODS; i++) {
            Pod pod = huge(i);
            pods.put(pods.getKey(pod), pod);
        }
        assertThat(pods.size()).isEqualTo(PODS);
        assertThat(kept()).isLessThan(PODS * A_KIBIBYTE);
        Pod one = pods.get("default/web-7");
        assertThat(one.getSpec().getContainers()).isNullOrEmpty();
        assertThat(one.getMetadata().getManagedFields()).isNullOrEmpty();
        assertThat(one.getMetadata().getAnnotations()).containsOnlyKeys(PodAnnotations.OWN_ENI);
    }

    @Test
    void notEvenTheAnnotationsThatAreReadMayBeOfAnyLength() {
        ManifestParser reader = new ManifestParser(() -> new StickRule(Set.of(), Duration.ofMinutes(5)));
        for (int i = 0; i < PODS; i++) {
            Map<String, String> annotations = new HashMap<>();
            PodAnnotations.ALL.forEach(key -> annotations.put(key, MEBIBYTE.substring(0, 40_000)));
            Pod pod = Manifests.annotated("web-" + i, annotations);
            pods.put(pods.getKey(pod), pod);
            ParsedManifest whole = reader.parse(pod);
            ParsedManifest trimmed = reader.parse(TrimmedPodCache.trimmed(pod));
            assertThat(trimmed.pod().wishes()).isEqualTo(whole.pod().wishes());
            assertThat(trimmed.pod().stick()).isEqualTo(whole.pod().stick());
        }
        assertThat(kept()).isLessThan(PODS * 4 * A_KIBIBYTE);
    }

    private int kept() {
        return pods.values().mapToInt(pod -> Serialization.asJson(pod).length()).sum();
    }

    private static Pod huge(int n) {
        List<OwnerReference> owners = new ArrayList<>(IntStream.range(0, 1_000)
                .mapToObj(i -> new OwnerReferenceBuilder()
                        .withKind("ConfigMap")
                        .withName("keeper-" + i)
                        .withUid("uid-" + i)
                        .build())
                .toList());
        owners.add(new OwnerReferenceBuilder()
                .withKind("StatefulSet")
                .withName("web")
                .withUid("uid-of-web")
                .withController(true)
                .build());
        return new PodBuilder(Manifests.running("web-" + n).build())
                .editMetadata()
                .withOwnerReferences(owners)
                .addToAnnotations("kubectl.kubernetes.io/last-applied-configuration", MEBIBYTE)
                .addToAnnotations(PodAnnotations.OWN_ENI, "true")
                .addToLabels("note", MEBIBYTE)
                .addNewManagedField()
                .withManager(MEBIBYTE)
                .endManagedField()
                .endMetadata()
                .editSpec()
                .addNewContainer()
                .withName("app")
                .addNewEnv()
                .withName("BLOB")
                .withValue(MEBIBYTE)
                .endEnv()
                .endContainer()
                .endSpec()
                .editStatus()
                .withMessage(MEBIBYTE)
                .addNewCondition()
                .withMessage(MEBIBYTE)
                .endCondition()
                .endStatus()
                .build();
    }
}
