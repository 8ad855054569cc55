package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.aliyuncs.auth.SignatureVersion;
import com.aliyuncs.ecs.model.v20140526.AssignIpv6AddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AssignPrivateIpAddressesRequest;
import com.aliyuncs.ecs.model.v20140526.AssignPrivateIpAddressesResponse;
import com.aliyuncs.ecs.model.v20140526.AttachNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceRequest;
import com.aliyuncs.ecs.model.v20140526.CreateNetworkInterfaceResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeInstanceAttributeRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeInstanceAttributeResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfaceAttributeRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfaceAttributeResponse;
import com.aliyuncs.ecs.model.v20140526.DescribeNetworkInterfacesRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeRegionsRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeSecurityGroupsRequest;
import com.aliyuncs.ecs.model.v20140526.DescribeSecurityGroupsResponse.SecurityGroup;
import com.aliyuncs.ecs.model.v20140526.DescribeZonesRequest;
import com.aliyuncs.ecs.model.v20140526.ListTagResourcesRequest;
import com.aliyuncs.ecs.model.v20140526.ListTagResourcesResponse.TagResource;
import com.aliyuncs.ecs.model.v20140526.ModifyNetworkInterfaceAttributeRequest;
import com.aliyuncs.ecs.model.v20140526.TagResourcesRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignIpv6AddressesRequest;
import com.aliyuncs.ecs.model.v20140526.UnassignPrivateIpAddressesRequest;
import com.aliyuncs.ecs.model.v20140526.UntagResourcesRequest;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.vpc.model.v20160428.DescribeVSwitchesRequest;
import com.aliyuncs.vpc.model.v20160428.DescribeVpcsRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The actions beside the life of an ENI, through the real SDK, which drops whatever is not wrapped as it expects. */
class SdkWholeSurfaceTest {
    @AutoClose
    private final CloudEmulator emulator = CloudEmulator.start(EmulatorConfig.defaults()
            .withVswitches(Map.of("vsw-enipam0", "10.0.0.0/24,fd00::/64"))
            .withInstanceTypes("ecs.g6.16xlarge"));

    private final SdkClient sdk = new SdkClient(emulator);
    private List<String> groups = List.of();

    @BeforeEach
    void lookUpTheGroups() throws ClientException {
        DescribeSecurityGroupsRequest request = new DescribeSecurityGroupsRequest();
        request.setPageSize(50);
        groups = sdk.call(request).getSecurityGroups().stream()
                .map(SecurityGroup::getSecurityGroupId)
                .toList();
    }

    @Test
    void ipv6AddressesAndPrefixesArriveInTheirLists() throws ClientException {
        CreateNetworkInterfaceRequest create = create();
        create.setIpv6AddressCount(2);
        create.setIpv4PrefixCount(1);
        CreateNetworkInterfaceResponse made = sdk.call(create);
        String eni = made.getNetworkInterfaceId();
        assertThat(made.getIpv6Sets()).extracting("ipv6Address").containsExactly("fd00::1", "fd00::2");
        assertThat(made.getIpv4PrefixSets()).extracting("ipv4Prefix").containsExactly("10.0.0.16/28");

        AssignIpv6AddressesRequest assign6 = new AssignIpv6AddressesRequest();
        assign6.setNetworkInterfaceId(eni);
        assign6.setIpv6AddressCount(1);
        assertThat(sdk.call(assign6).getIpv6Sets()).containsExactly("fd00::3");
        AssignPrivateIpAddressesRequest assign = new AssignPrivateIpAddressesRequest();
        assign.setNetworkInterfaceId(eni);
        assign.setIpv4Prefixs(List.of("10.0.0.48/28"));
        AssignPrivateIpAddressesResponse.AssignedPrivateIpAddressesSet assigned =
                sdk.call(assign).getAssignedPrivateIpAddressesSet();
        assertThat(assigned.getNetworkInterfaceId()).isEqualTo(eni);
        assertThat(assigned.getIpv4PrefixSet()).containsExactly("10.0.0.48/28");

        UnassignIpv6AddressesRequest unassign6 = new UnassignIpv6AddressesRequest();
        unassign6.setNetworkInterfaceId(eni);
        unassign6.setIpv6Addresss(List.of("fd00::2"));
        sdk.call(unassign6);
        UnassignPrivateIpAddressesRequest unassign = new UnassignPrivateIpAddressesRequest();
        unassign.setNetworkInterfaceId(eni);
        unassign.setIpv4Prefixs(List.of("10.0.0.16/28"));
        sdk.call(unassign);
        DescribeNetworkInterfaceAttributeResponse told = attribute(eni);
        assertThat(told.getIpv6Sets()).extracting("ipv6Address").containsExactly("fd00::1", "fd00::3");
        assertThat(told.getIpv4PrefixSets()).extracting("ipv4Prefix").containsExactly("10.0.0.48/28");
    }

    @Test
    void attributesAndGroupsAreChanged() throws ClientException {
        CreateNetworkInterfaceRequest create = new CreateNetworkInterfaceRequest();
        create.setVSwitchId("vsw-enipam0");
        create.setSecurityGroupIdss(groups.subList(0, 3));
        String eni = sdk.call(create).getNetworkInterfaceId();
        ModifyNetworkInterfaceAttributeRequest modify = new ModifyNetworkInterfaceAttributeRequest();
        modify.setNetworkInterfaceId(eni);
        modify.setNetworkInterfaceName("pods");
        modify.setSecurityGroupIds(groups.subList(4, 6));
        sdk.call(modify);

        assertThat(attribute(eni).getNetworkInterfaceName()).isEqualTo("pods");
        assertThat(attribute(eni).getSecurityGroupIds()).isEqualTo(groups.subList(4, 6));
    }

    @Test
    void tagsArePutListedAndTakenOff() throws ClientException {
        String eni = sdk.call(create()).getNetworkInterfaceId();
        TagResourcesRequest.Tag tag = new TagResourcesRequest.Tag();
        tag.setKey("creator");
        tag.setValue("enipam");
        TagResourcesRequest put = new TagResourcesRequest();
        put.setResourceType("eni");
        put.setResourceIds(List.of(eni));
        put.setTags(List.of(tag));
        sdk.call(put);
        assertThat(tags(eni)).singleElement().satisfies(found -> {
            assertThat(found.getTagKey()).isEqualTo("creator");
            assertThat(found.getTagValue()).isEqualTo("enipam");
            assertThat(found.getResourceType()).isEqualTo("eni");
        });
        DescribeNetworkInterfacesRequest.Tag wanted = new DescribeNetworkInterfacesRequest.Tag();
        wanted.setKey("creator");
        DescribeNetworkInterfacesRequest byTag = new DescribeNetworkInterfacesRequest();
        byTag.setTags(List.of(wanted));
        assertThat(sdk.call(byTag).getNetworkInterfaceSets()).hasSize(1);

        UntagResourcesRequest off = new UntagResourcesRequest();
        off.setResourceType("eni");
        off.setResourceIds(List.of(eni));
        off.setAll(true);
        sdk.call(off);
        assertThat(tags(eni)).isEmpty();
    }

    @Test
    void membersOfATrunkAreTold() throws ClientException {
        CreateNetworkInterfaceRequest create = create();
        create.setInstanceType("Trunk");
        String trunk = sdk.call(create).getNetworkInterfaceId();
        String member = sdk.call(create()).getNetworkInterfaceId();
        AttachNetworkInterfaceRequest attach = new AttachNetworkInterfaceRequest();
        attach.setNetworkInterfaceId(trunk);
        attach.setInstanceId(emulator.instanceIds().get(0));
        attach.setNetworkCardIndex(0);
        sdk.call(attach);
        attach = new AttachNetworkInterfaceRequest();
        attach.setNetworkInterfaceId(member);
        attach.setInstanceId(emulator.instanceIds().get(0));
        attach.setTrunkNetworkInstanceId(trunk);
        sdk.call(attach);

        assertThat(attribute(member).getType()).isEqualTo("Member");
        assertThat(attribute(member).getAttachment().getTrunkNetworkInterfaceId())
                .isEqualTo(trunk);
        assertThat(attribute(trunk).getAttachment().getMemberNetworkInterfaceIds())
                .containsExactly(member);
    }

    @Test
    void theLookUpsAreUnderstood() throws ClientException {
        DescribeInstanceAttributeRequest instance = new DescribeInstanceAttributeRequest();
        instance.setInstanceId(emulator.instanceIds().get(0));
        DescribeInstanceAttributeResponse told = sdk.call(instance);
        assertThat(told.getInstanceType()).isEqualTo("ecs.g6.16xlarge");
        assertThat(told.getSecurityGroupIds()).containsExactly(groups.get(0));
        assertThat(told.getVpcAttributes().getPrivateIpAddress()).containsExactly("10.0.0.1");

        assertThat(sdk.call(new DescribeRegionsRequest()).getRegions())
                .singleElement()
                .satisfies(region -> assertThat(region.getRegionId()).isEqualTo("cn-hangzhou"));
        assertThat(sdk.call(new DescribeZonesRequest()).getZones())
                .singleElement()
                .satisfies(zone -> assertThat(zone.getAvailableInstanceTypes()).contains("ecs.g7.xlarge"));
        DescribeVpcsRequest vpcs = new DescribeVpcsRequest();
        vpcs.setSysSignatureVersion(SignatureVersion.V3);
        assertThat(sdk.call(vpcs).getVpcs()).singleElement().satisfies(vpc -> {
            assertThat(vpc.getCidrBlock()).isEqualTo("10.0.0.0/16");
            assertThat(vpc.getVSwitchIds()).containsExactly("vsw-enipam0");
        });
        assertThat(sdk.call(new DescribeVSwitchesRequest()).getVSwitches())
                .singleElement()
                .satisfies(vswitch -> assertThat(vswitch.getIpv6CidrBlock()).isEqualTo("fd00::/64"));
    }

    private CreateNetworkInterfaceRequest create() {
        CreateNetworkInterfaceRequest request = new CreateNetworkInterfaceRequest();
        request.setVSwitchId("vsw-enipam0");
        request.setSecurityGroupId(groups.get(0));
        return request;
    }

    private DescribeNetworkInterfaceAttributeResponse attribute(String eni) throws ClientException {
        DescribeNetworkInterfaceAttributeRequest request = new DescribeNetworkInterfaceAttributeRequest();
        request.setNetworkInterfaceId(eni);
        return sdk.call(request);
    }

    private List<TagResource> tags(String eni) throws ClientException {
        ListTagResourcesRequest request = new ListTagResourcesRequest();
        request.setResourceType("eni");
        request.setResourceIds(List.of(eni));
        return sdk.call(request).getTagResources();
    }
}
