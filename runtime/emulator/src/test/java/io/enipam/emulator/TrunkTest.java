package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.control.CloudControl.ControlException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class TrunkTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g6.16xlarge"));

    @Test
    void membersHangOnATrunkAndTakeNoneOfTheInstancesCards() {
        String trunk = cloud.attached("InstanceType", "Trunk");
        for (int i = 0; i < 10; i++) {
            assertThat(attach(cloud.create(), trunk)).isEqualTo("200 ");
        }
        JsonNode member = cloud.ok("DescribeNetworkInterfaces", "Type", "Member")
                .at("/NetworkInterfaceSets/NetworkInterfaceSet/0");
        assertThat(member.path("Status").asText()).isEqualTo("InUse");
        assertThat(member.at("/Attachment/TrunkNetworkInterfaceId").asText()).isEqualTo(trunk);
        assertThat(cloud.ok("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", trunk)
                        .at("/Attachment/MemberNetworkInterfaceIds/MemberNetworkInterfaceId"))
                .hasSize(10);

        // primary, trunk and six more are the eight cards
        for (int i = 0; i < 6; i++) {
            cloud.attached();
        }
        assertThat(attach(cloud.create(), "")).isEqualTo("403 EniPerInstanceLimitExceeded");
        assertThat(attach(cloud.create(), trunk)).isEqualTo("200 ");
    }

    @Test
    void aMemberIsASecondaryEniAgainOnceItIsDetached() {
        String trunk = cloud.attached("InstanceType", "Trunk");
        String member = cloud.create();
        attach(member, trunk);

        assertThat(cloud.call("DetachNetworkInterface", "NetworkInterfaceId", trunk, "InstanceId", cloud.instance())
                        .error())
                .isEqualTo("400 InvalidOperation.InvalidEniState");
        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", member, "InstanceId", cloud.instance());
        assertThat(cloud.ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", member)
                        .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/Type")
                        .asText())
                .isEqualTo("Secondary");
        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", trunk, "InstanceId", cloud.instance());
    }

    @Test
    void onlyATrunkThatIsInUseHereTakesMembers() {
        String free = cloud.create("InstanceType", "Trunk");

        assertThat(attach(cloud.create(), free)).isEqualTo("400 InvalidOperation.InvalidEniState");
        assertThat(attach(cloud.create(), "eni-none")).isEqualTo("404 InvalidEniId.NotFound");
        assertThat(attach(cloud.create(), cloud.attached())).isEqualTo("403 InvalidOperation.InvalidEniType");
        assertThat(attach(cloud.create("InstanceType", "Trunk"), cloud.attached("InstanceType", "Trunk")))
                .isEqualTo("403 InvalidOperation.InvalidEniType");
        assertThat(cloud.call(
                                "AttachNetworkInterface",
                                "NetworkInterfaceId",
                                free,
                                "InstanceId",
                                cloud.instance(),
                                "NetworkCardIndex",
                                "first")
                        .error())
                .isEqualTo("400 InvalidParameter");
    }

    @Test
    void aMemberHasAVlanOfItsOwnForAsLongAsItIsAttached() {
        String trunk = cloud.attached("InstanceType", "Trunk");
        String first = cloud.create();
        String second = cloud.create();
        attach(first, trunk);
        attach(second, trunk);
        assertThat(index(first)).isEqualTo(1);
        assertThat(index(second)).isEqualTo(2);

        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", first, "InstanceId", cloud.instance());
        assertThat(index(second)).isEqualTo(2);
        String third = cloud.create();
        attach(third, trunk);
        assertThat(index(third)).isEqualTo(1);
        assertThat(index(trunk)).as("the trunk is a card of the instance").isEqualTo(1);
    }

    private int index(String eni) {
        return cloud.ok("DescribeNetworkInterfaceAttribute", "NetworkInterfaceId", eni)
                .at("/Attachment/DeviceIndex")
                .asInt();
    }

    @Test
    void aTrunkWithMembersIsNotDetachedBehindTheClientsBackEither() {
        String trunk = cloud.attached("InstanceType", "Trunk");
        String member = cloud.create();
        attach(member, trunk);

        assertThatThrownBy(() -> cloud.emulator.control().detachEni(trunk))
                .isInstanceOf(ControlException.class)
                .hasMessageContaining("carries other ENIs");
        cloud.emulator.control().detachEni(member);
        cloud.emulator.control().detachEni(trunk);
        assertThat(cloud.status(trunk)).isEqualTo("Available");
    }

    private String attach(String eni, String trunk) {
        return cloud.call(
                        "AttachNetworkInterface",
                        "NetworkInterfaceId",
                        eni,
                        "InstanceId",
                        cloud.instance(),
                        "TrunkNetworkInstanceId",
                        trunk,
                        "NetworkCardIndex",
                        "0")
                .error();
    }
}
