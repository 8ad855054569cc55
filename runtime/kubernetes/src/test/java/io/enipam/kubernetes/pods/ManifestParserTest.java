package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.testing.Manifests;
import io.enipam.sdk.Address;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestParserTest {
    private static final Duration STICK = Duration.ofMinutes(5);

    private final ManifestParser reader = new ManifestParser(() -> new StickRule(Set.of("CloneSet"), STICK));

    @Test
    void aPlainPodAsksForNothing() {
        ParsedManifest manifest = reader.parse(Manifests.running("web-0")
                .editMetadata()
                .withUid("uid-of-web-0")
                .endMetadata()
                .build());
        assertThat(manifest.complaints()).isEmpty();
        assertThat(manifest.pod().ref()).hasToString("default/web-0");
        assertThat(manifest.pod().uid()).isEqualTo("uid-of-web-0");
        assertThat(manifest.pod().finished()).isFalse();
        assertThat(manifest.pod().stick()).isZero();
        assertThat(manifest.pod().wishes()).isEqualTo(PodNetworkSpec.NONE);
    }

    @Test
    void policiesSeeLabelsAndAnnotationsAndNoMoreThanIsBounded() {
        Map<String, String> many = new TreeMap<>(Map.of("a/first", "x".repeat(1_024), "a/long", "x".repeat(1_025)));
        for (int i = 0; i < 100; i++) {
            many.put(String.format("note-%02d", i), "n");
        }
        Pod pod = Manifests.running("web-0")
                .editMetadata()
                .withLabels(Map.of("app", "web"))
                .withAnnotations(many)
                .endMetadata()
                .build();

        Metadata metadata = reader.parse(pod).pod().metadata();

        assertThat(metadata.labels()).isEqualTo(Map.of("app", "web"));
        assertThat(metadata.annotations())
                .hasSize(64)
                .containsKeys("a/first", "note-00", "note-62")
                .doesNotContainKeys("a/long", "note-63");
        assertThat(reader.parse(TrimmedPodCache.trimmed(pod)).pod().metadata()).isEqualTo(metadata);
        assertThat(reader.parse(Manifests.running("web-1").build())
                        .pod()
                        .metadata()
                        .annotations())
                .isEmpty();
    }

    @Test
    void aRuleThatIsAnotherOneCountsFromTheNextManifestOn() {
        AtomicReference<StickRule> rule = new AtomicReference<>(new StickRule(Set.of(), STICK));
        ManifestParser following = new ManifestParser(rule::get);
        Pod pod = Manifests.running("web-0")
                .editMetadata()
                .addNewOwnerReference()
                .withKind("CloneSet")
                .withName("web")
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .build();
        assertThat(following.parse(pod).pod().stick()).isZero();

        rule.set(new StickRule(Set.of("CloneSet"), Duration.ofMinutes(9)));

        assertThat(following.parse(pod).pod().stick()).isEqualTo(Duration.ofMinutes(9));
    }

    @ParameterizedTest
    @CsvSource({"Pending,false", "Running,false", "Unknown,false", "Succeeded,true", "Failed,true"})
    void aPodThatSucceededOrFailedHasFinished(String phase, boolean finished) {
        assertThat(reader.parse(Manifests.phase("job-1", phase)).pod().finished())
                .isEqualTo(finished);
    }

    @Test
    void bothFamiliesOfBandwidthAreReadAndTerwaysWins() {
        PodNetworkSpec wishes = reader.parse(Manifests.annotated(
                        "web-0",
                        Map.of(
                                "k8s.aliyun.com/ingress-bandwidth",
                                "10M",
                                "kubernetes.io/ingress-bandwidth",
                                "8M",
                                "kubernetes.io/egress-bandwidth",
                                "8M")))
                .pod()
                .wishes();
        assertThat(wishes.ingress()).isEqualTo(OptionalLong.of(10 << 20));
        assertThat(wishes.egress()).isEqualTo(OptionalLong.of(1_000_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100X", "-5M", "ten", "\u001b[31m"})
    void aBandwidthThatKilledTerwaysDaemonIsAComplaintAndNoLimit(String text) {
        ParsedManifest manifest =
                reader.parse(Manifests.annotated("web-0", Map.of("k8s.aliyun.com/egress-bandwidth", text)));
        assertThat(manifest.pod().wishes()).isEqualTo(PodNetworkSpec.NONE);
        assertThat(manifest.complaints())
                .singleElement()
                .asString()
                .contains("k8s.aliyun.com/egress-bandwidth", "such as 10M", "no limit");
    }

    @Test
    void terwaysInvalidBandwidthLeavesKubernetesOwnInForce() {
        ParsedManifest manifest = reader.parse(Manifests.annotated(
                "web-0", Map.of("k8s.aliyun.com/egress-bandwidth", "?", "kubernetes.io/egress-bandwidth", "8k")));
        assertThat(manifest.pod().wishes().egress()).isEqualTo(OptionalLong.of(1_000));
        assertThat(manifest.complaints()).hasSize(1);
    }

    @Test
    void aMegabyteOfAnnotationIsQuotedInPart() {
        ParsedManifest manifest = reader.parse(
                Manifests.annotated("web-0", Map.of("k8s.aliyun.com/egress-bandwidth", "x".repeat(1 << 20))));
        assertThat(manifest.complaints()).singleElement().asString().hasSizeLessThan(300);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "yes,true", "1,true", "false,false", "False,false", "0,false", "'',false"})
    void aPodMayAskForAnEniOfItsOwn(String text, boolean wanted) {
        assertThat(reader.parse(Manifests.annotated("web-0", Map.of("k8s.aliyun.com/ENI", text)))
                        .pod()
                        .wishes()
                        .ownEni())
                .isEqualTo(wanted);
    }

    @Test
    void aContainerThatRequestsAnEniAsksForItAndTheWatchRemembersThatAndNoMore() {
        Pod pod = Manifests.running("web-0")
                .editSpec()
                .addNewContainer()
                .withName("sidecar")
                .endContainer()
                .addNewContainer()
                .withName("main")
                .withImage("nginx")
                .withNewResources()
                .addToLimits("aliyun/eni", new Quantity("1"))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
        assertThat(reader.parse(pod).pod().wishes().ownEni()).isTrue();
        Pod kept = TrimmedPodCache.trimmed(pod);
        assertThat(reader.parse(kept).pod().wishes().ownEni()).isTrue();
        assertThat(kept.getSpec().getContainers())
                .singleElement()
                .extracting(Container::getImage)
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"StatefulSet,true", "CloneSet,true", "ReplicaSet,false"})
    void podsOfStatefulWorkloadsKeepTheirAddressForAWhile(String kind, boolean sticks) {
        assertThat(reader.parse(Manifests.owned("db-0", kind)).pod().stick()).isEqualTo(sticks ? STICK : Duration.ZERO);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "90s,90", "1h30m,5400"})
    void aPodSaysItselfHowLong(String text, long seconds) {
        assertThat(reader.parse(Manifests.annotated("web-0", Map.of("enipam.io/stick-time", text)))
                        .pod()
                        .stick())
                .isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-5m", "5d", "999999h", "1h1h1h1h"})
    void aStickTimeThatMakesNoSenseIsAComplaint(String text) {
        ParsedManifest manifest = reader.parse(Manifests.annotated("web-0", Map.of("enipam.io/stick-time", text)));
        assertThat(manifest.pod().stick()).isZero();
        assertThat(manifest.complaints()).singleElement().asString().contains("enipam.io/stick-time", "such as 30s");
    }

    @Test
    void bothFamiliesOfAddressesAreReadAndNonsenseIsNot() {
        PodBuilder pod = Manifests.running("web-0")
                .editStatus()
                .withPodIP("10.0.0.7")
                .addNewPodIP("10.0.0.7")
                .addNewPodIP("fd00::7")
                .addNewPodIP("not-an-address")
                .endStatus();
        assertThat(reader.parse(pod.build()).pod().addresses())
                .containsExactly(Address.literal("10.0.0.7"), Address.literal("fd00::7"));
    }

    @Test
    void ofAPodInTheNodesOwnNetworkNoAddressIsTakenForAPods() {
        PodBuilder pod = Manifests.running("proxy")
                .editSpec()
                .withHostNetwork(true)
                .endSpec()
                .editStatus()
                .withPodIP("10.0.0.1")
                .endStatus();
        assertThat(reader.parse(pod.build()).pod().addresses()).isEmpty();
        assertThat(ManifestParser.inHostNetwork(pod.build())).isTrue();
    }

    @Test
    void whatTheWatchRemembersReadsLikeTheWhole() {
        PodBuilder whole = new PodBuilder(Manifests.owned("db-0", "StatefulSet"))
                .editMetadata()
                .addToAnnotations("k8s.aliyun.com/ingress-bandwidth", "1M")
                .addToAnnotations("a.huge/one", "x".repeat(10_000))
                .endMetadata()
                .editSpec()
                .addNewContainer()
                .withName("app")
                .withImage("registry/app")
                .endContainer()
                .endSpec()
                .editStatus()
                .withPodIP("10.0.0.9")
                .endStatus();
        assertThat(reader.parse(TrimmedPodCache.trimmed(whole.build()))).isEqualTo(reader.parse(whole.build()));
        assertThat(TrimmedPodCache.trimmed(whole.build()).toString()).doesNotContain("xxx", "registry/app");
    }
}
