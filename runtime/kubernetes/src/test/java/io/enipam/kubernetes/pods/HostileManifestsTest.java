package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.kubernetes.pods.ManifestParser.PodAnnotations;
import io.enipam.kubernetes.pods.ManifestParser.StickRule;
import io.enipam.kubernetes.testing.Manifests;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Terway's daemon cut the last character off a bandwidth before it looked whether there was one: a pod with the annotation
 * {@code ""} or {@code "100"} ended it, and with it every ADD of the node, again after each restart. Anybody who may create a
 * pod may write annotations.
 */
class HostileManifestsTest {
    private static final ManifestParser READER =
            new ManifestParser(() -> new StickRule(Set.of("CloneSet"), Duration.ofMinutes(5)));
    private static final String PIECES = "0123456789.+-eEkKmMgGtTiIbB \t\n%_,x\u0000\u00b5\u0660\u0be7\ud83d\ude00hms";

    static Stream<String> handPicked() {
        return Stream.of(
                "",
                " ",
                "100",
                "M",
                ".",
                "..",
                "-",
                "+",
                "0",
                "-1M",
                "1e999999999",
                "1E-999999999",
                "9".repeat(400) + "M",
                "NaN",
                "Infinity",
                "0x10M",
                "1_000M",
                "10 M",
                "1M1M",
                "\u0661\u0660M",
                "10\u041c",
                "\ud83d\ude00",
                "\ud83d",
                "10M\u0000",
                "10M\n",
                "1." + "0".repeat(5_000) + "M",
                "M".repeat(256 * 1024),
                "${jndi:ldap://x}",
                "%s%n",
                "null");
    }

    @ParameterizedTest
    @MethodSource("handPicked")
    void terwayDiedOfABandwidthWithoutAUnitHereAnyTextIsALimitOrAComplaint(String text) {
        assertServed(text);
    }

    @Test
    void noTextWhateverItIsMadeOfKeepsAPodFromItsAddress() {
        SplittableRandom random = new SplittableRandom(24);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(12);
            for (int i = 0; i < length; i++) {
                text.append(PIECES.charAt(random.nextInt(PIECES.length())));
            }
            assertServed(text.toString());
        }
    }

    private static void assertServed(String text) {
        Map<String, String> annotations = new HashMap<>();
        PodAnnotations.ALL.forEach(key -> annotations.put(key, text));
        ParsedManifest manifest = READER.parse(Manifests.annotated("web-0", annotations));
        assertThat(manifest.pod().ref().name()).isEqualTo("web-0");
        for (OptionalLong rate : List.of(
                manifest.pod().wishes().ingress(), manifest.pod().wishes().egress())) {
            if (rate.isEmpty()) {
                assertThat(manifest.complaints())
                        .as("who has no limit is told why")
                        .isNotEmpty();
            } else {
                assertThat(rate.getAsLong()).isBetween(1L, 1L << 50);
            }
        }
        assertThat(manifest.pod().stick()).isBetween(Duration.ZERO, Duration.ofDays(7));
        assertThat(manifest.complaints()).allSatisfy(line -> assertThat(line).hasSizeLessThan(400));
    }

    /** What an API server never sends, and a broken one may. */
    @Test
    void aManifestWithHolesIsReadAsFarAsItGoes() {
        List<Pod> holey = new ArrayList<>();
        holey.add(Manifests.running("a")
                .editMetadata()
                .withUid(null)
                .endMetadata()
                .build());
        holey.add(Manifests.running("b").withSpec(null).withStatus(null).build());
        holey.add(Manifests.owned("c", null));
        holey.add(Manifests.annotated("d", null));
        holey.add(Manifests.running("e")
                .editStatus()
                .withPhase(null)
                .addNewPodIP(null)
                .addNewPodIP("no address")
                .withPodIP("")
                .endStatus()
                .build());
        for (Pod pod : holey) {
            assertThat(READER.parse(TrimmedPodCache.trimmed(pod))).isEqualTo(READER.parse(pod));
            assertThat(READER.parse(pod).pod().addresses()).isEmpty();
            assertThat(READER.parse(pod).pod().finished()).isFalse();
        }
    }
}
