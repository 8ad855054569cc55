package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the configuration says of ENIs, as the cloud sees it: over HTTP, with the real SDK. */
@Timeout(120)
class EniConfigTest {
    @AutoClose
    private EmulatedNode node;

    @BeforeEach
    void startTheCloud() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put("vsw-small", "10.0.1.0/28");
        vswitches.put("vsw-large", "10.0.2.0/24");
        // 4 ENIs with 15 IPv4 addresses each
        node = new EmulatedNode("ecs.g7.xlarge", vswitches);
    }

    private static EniConfig in(VSwitchPolicy policy, String... vswitches) {
        return EniConfig.defaults().withVSwitches(Map.of(EmulatedNode.ZONE, List.of(vswitches)), policy);
    }

    private static List<String> vswitches(List<Resource> made) {
        return made.stream()
                .map(resource -> resource.attributes().get(Resource.VSWITCH))
                .distinct()
                .toList();
    }

    @Test
    void orderedTakesTheConfiguredOrderAndMostTheOneWithMostFreeAddresses() throws Exception {
        try (AliyunCloud cloud = node.open(in(VSwitchPolicy.ORDERED, "vsw-small", "vsw-large"))) {
            List<Resource> made = node.get(cloud.factory(EniUse.ADDRESSES), 1);
            assertThat(vswitches(made)).containsExactly("vsw-small");
            EmulatedNode.giveBack(cloud.factory(EniUse.ADDRESSES), made);
        }
        try (AliyunCloud cloud = node.open(in(VSwitchPolicy.MOST, "vsw-small", "vsw-large"))) {
            assertThat(vswitches(node.get(cloud.factory(EniUse.ADDRESSES), 1))).containsExactly("vsw-large");
        }
    }

    @Test
    void aWrongVSwitchIdIsNamedAndTheOthersServe() throws Exception {
        try (AliyunCloud cloud = node.open(in(VSwitchPolicy.ORDERED, "vsw-typo", "vsw-large"))) {
            assertThat(vswitches(node.get(cloud.factory(EniUse.ADDRESSES), 1))).containsExactly("vsw-large");
        }
        assertThat(node.events.messages())
                .anySatisfy(message -> assertThat(message)
                        .contains("WARNING VSwitchUnusable")
                        .contains("vSwitch vsw-typo of 'vswitches' does not exist in region cn-hangzhou"));
    }

    @Test
    void whenEveryVSwitchIdIsWrongAllAreNamedAndTheCloudDoesNotOpen() {
        assertThatThrownBy(() -> node.open(in(VSwitchPolicy.ORDERED, "vsw-a", "vsw-b")))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessageContainingAll("vsw-a", "vsw-b", "correct 'vswitches'");
    }

    @Test
    void aZoneNobodyConfiguredUsesTheInstancesOwnVSwitchAndSaysSo() throws Exception {
        EniConfig elsewhere =
                EniConfig.defaults().withVSwitches(Map.of("cn-hangzhou-z", List.of("vsw-z")), VSwitchPolicy.ORDERED);
        try (AliyunCloud cloud = node.open(elsewhere)) {
            assertThat(vswitches(node.get(cloud.factory(EniUse.ADDRESSES), 1))).containsExactly("vsw-small");
        }
        assertThat(node.events.messages())
                .anySatisfy(message -> assertThat(message)
                        .contains("names none for zone cn-hangzhou-a, only for cn-hangzhou-z")
                        .contains("vsw-small, is used"));
    }

    private static EniConfig enis(List<String> groups, Map<String, String> tags, String cluster) {
        EniConfig usual = EniConfig.defaults();
        return new EniConfig(
                usual.vswitches(),
                usual.vswitchPolicy(),
                groups,
                tags,
                cluster,
                usual.bounds(),
                usual.dual(),
                usual.lostEni());
    }

    @Test
    void anEniCarriesCreatorNodeAndClusterAndTheUsersTagsDoNotOverrideThem() throws Exception {
        Map<String, String> users = Map.of("team", "net", "creator", "me", "node", "x", "cluster", "y");
        try (AliyunCloud cloud = node.open(enis(List.of(), users, "c-1"))) {
            node.get(cloud.factory(EniUse.ADDRESSES), 1);

            assertThat(node.enis())
                    .singleElement()
                    .satisfies(eni -> assertThat(eni.tags())
                            .containsExactlyInAnyOrderEntriesOf(Map.of(
                                    "team", "net", "creator", "enipam", "node", cloud.instanceId(), "cluster", "c-1")));
        }
    }

    @Test
    void aClusterIdConfiguredLaterLosesNoEni() throws Exception {
        List<Resource> before;
        try (AliyunCloud cloud = node.open(EniConfig.defaults())) {
            before = node.get(cloud.factory(EniUse.ADDRESSES), 2);
        }
        try (AliyunCloud cloud = node.open(enis(List.of(), Map.of(), "c-1"))) {
            assertThat(EmulatedNode.list(cloud.factory(EniUse.ADDRESSES))).containsExactlyInAnyOrderElementsOf(before);
        }
    }

    @Test
    void aSecurityGroupThatDoesNotExistIsNamedInTheFailure() throws Exception {
        try (AliyunCloud cloud = node.open(enis(List.of("sg-typo"), Map.of(), ""))) {
            List<CreateResult> results = node.ask(cloud.factory(EniUse.ADDRESSES), 1);

            assertThat(results).singleElement().isInstanceOfSatisfying(Failed.class, failed -> {
                assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED);
                assertThat(failed.message()).contains("correct 'security_group'", "sg-typo");
            });
            assertThat(node.enis()).isEmpty();
        }
    }

    @Test
    void ratioAndShiftScaleTheCapacity() {
        try (AliyunCloud cloud = node.open(EniConfig.defaults().withBounds(new EniBounds(100, 0, 0.5, 1)))) {
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .as("floor(3 x 0.5 + 1) ENIs of 15 addresses")
                    .isEqualTo(30);
        }
        assertThat(node.events.types()).doesNotContain("ConfigAdjusted");
    }

    @Test
    void minEniIsAttachedBeforeAnyPodAsks() throws Exception {
        try (AliyunCloud cloud = node.open(EniConfig.defaults().withBounds(new EniBounds(100, 2, 1, 0)))) {
            assertThat(EmulatedNode.list(cloud.factory(EniUse.ADDRESSES))).isEmpty();

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() ->
                            assertThat(node.enis()).extracting(EniEntry::status).containsExactly("InUse", "InUse"));
        }
    }

    /** Terway refuses to start with no reason when min_eni is above the capacity, and crashes when that is negative. */
    @Test
    void aMinEniAboveTheCapacityAndANegativeOneAreCutAndToldOnceEach() {
        try (AliyunCloud cloud = node.open(EniConfig.defaults().withBounds(new EniBounds(100, 9, 1, 0)))) {
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .isEqualTo(45);
        }
        assertThat(node.events.messages())
                .containsOnlyOnce(
                        "WARNING ConfigAdjusted eni min_eni 9 is above the 3 ENIs that this node can have: 3 is"
                                + " in force {}");

        try (AliyunCloud cloud = node.open(EniConfig.defaults().withBounds(new EniBounds(100, 0, 1, -9)))) {
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .isZero();
        }
        assertThat(node.events.messages())
                .anySatisfy(
                        message -> assertThat(message).contains("eni_cap_shift -9 come to -6 ENIs", "0 is in force"))
                .anySatisfy(message -> assertThat(message).contains("no address for a pod"));
        assertThat(node.enis()).extracting(EniEntry::id).isEmpty();
    }
}
