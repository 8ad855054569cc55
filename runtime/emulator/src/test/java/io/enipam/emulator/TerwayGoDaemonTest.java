package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.enipam.emulator.TestClient.Answer;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * The Go daemon of terway as it was in early 2020: the requests it makes from its start to the end of its last ENI, in
 * their order and spelling, and every field it reads with the type it reads it as.
 */
class TerwayGoDaemonTest {
    private static final String META = "latest/meta-data/";

    @AutoClose
    private final TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g6.large"));

    private final TestClient metadata = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);

    @Test
    void theGoDaemonOf2020StartsBuildsItsPoolAndGivesItBack() {
        // credentials: the role's, over the metadata service
        RoleAuth role = TerwayGoClient.decode(
                RoleAuth.class, read("ram/security-credentials/" + value("ram/security-credentials/")));
        assertThat(role.code()).isEqualTo("Success");
        assertThat(Instant.parse(role.expiration())).isAfter(cloud.clock.instant());
        TerwayGoClient client =
                new TerwayGoClient(cloud, role.accessKeyId(), role.accessKeySecret(), role.securityToken());
        String region = value("region-id");
        // it asks where the endpoints are and goes on with those of its environment if it is not told
        Answer location = client.get("2015-06-12", "DescribeEndpoints", "Id", region, "ServiceCode", "ecs");
        assertThat(location.status()).isBetween(400, 599);
        assertThat(TerwayGoClient.decode(ErrorResponse.class, location.text()).code())
                .isNotEmpty();

        // who am I
        String instance = value("instance-id");
        String vswitch = value("vswitch-id");
        assertThat(value("zone-id")).isEqualTo("cn-hangzhou-i");
        assertThat(value("vpc-id")).startsWith("vpc-");

        // security group, type, limits
        DescribeInstances instances =
                client.ecs(DescribeInstances.class, "DescribeInstances", "InstanceIds", "[\"" + instance + "\"]");
        assertThat(instances.totalCount()).isEqualTo(1);
        InstanceAttributes me = instances.instances().instance().get(0);
        assertThat(me.instanceId()).isEqualTo(instance);
        assertThat(me.regionId()).isEqualTo(region);
        assertThat(me.status()).isEqualTo("Running");
        assertThat(me.vpcAttributes().vswitchId()).isEqualTo(vswitch);
        assertThat(me.vpcAttributes().privateIpAddress().ipAddress()).containsExactly("10.0.0.1");
        InstanceAttributes attribute =
                client.ecs(InstanceAttributes.class, "DescribeInstanceAttribute", "InstanceId", instance);
        assertThat(attribute.instanceType()).isEqualTo(me.instanceType()).isEqualTo("ecs.g6.large");
        assertThat(attribute.securityGroupIds()).isEqualTo(me.securityGroupIds());
        String group = me.securityGroupIds().securityGroupId().get(0);
        InstanceType type = client
                .ecs(
                        DescribeInstanceTypes.class,
                        "DescribeInstanceTypes",
                        "InstanceTypeFamily",
                        me.instanceTypeFamily())
                .instanceTypes()
                .instanceType()
                .stream()
                .filter(item -> item.instanceTypeId().equals(me.instanceType()))
                .findFirst()
                .orElseThrow();
        assertThat(type.eniQuantity()).isEqualTo(2);
        assertThat(type.eniPrivateIpAddressQuantity()).isEqualTo(6);
        assertThat(type.memorySize()).isEqualTo(8);
        assertThat(type.cpuCoreCount()).isEqualTo(2);

        // which ENIs are there: only the primary one
        String mainMac = value("mac");
        assertThat(read("network/interfaces/macs/").split("\n")).containsExactly(mainMac + "/");

        // vSwitches, of VPC and of ECS
        for (DescribeVSwitches vswitches : List.of(
                client.vpc(DescribeVSwitches.class, "DescribeVSwitches", "VSwitchId", vswitch),
                client.ecs(DescribeVSwitches.class, "DescribeVSwitches", "VSwitchId", vswitch))) {
            assertThat(vswitches.vswitches().vswitch())
                    .singleElement()
                    .satisfies(
                            found -> assertThat(found.availableIpAddressCount()).isEqualTo(251));
        }

        // an ENI: create, wait, attach, wait, read it from metadata
        String eni = client.ecs(
                        CreateNetworkInterface.class,
                        "CreateNetworkInterface",
                        "VSwitchId",
                        vswitch,
                        "SecurityGroupId",
                        group,
                        "NetworkInterfaceName",
                        "eni-cni-Xk3f+9 *~",
                        "Description",
                        "interface create by terway",
                        "Tag.1.Key",
                        "creator",
                        "Tag.1.Value",
                        "terway")
                .networkInterfaceId();
        assertThat(describe(client, eni).status()).isEqualTo("Available");
        client.ecs(Response.class, "AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", instance);
        NetworkInterface attached = describe(client, eni);
        assertThat(attached.status()).isEqualTo("InUse");
        assertThat(attached.type()).isEqualTo("Secondary");
        assertThat(attached.instanceId()).isEqualTo(instance);
        assertThat(attached.networkInterfaceName()).isEqualTo("eni-cni-Xk3f+9 *~");
        assertThat(attached.privateIpSets().privateIpSet())
                .containsExactly(new PrivateIp(attached.privateIpAddress(), true));
        String mac = "network/interfaces/macs/" + attached.macAddress() + "/";
        assertThat(value(mac + "network-interface-id")).isEqualTo(eni);
        assertThat(value(mac + "primary-ip-address")).isEqualTo(attached.privateIpAddress());
        assertThat(value(mac + "netmask")).isEqualTo("255.255.255.0");
        assertThat(value(mac + "gateway")).isEqualTo("10.0.0.253");

        // addresses: counted before and after
        client.ecs(
                Response.class,
                "AssignPrivateIpAddresses",
                "NetworkInterfaceId",
                eni,
                "SecondaryPrivateIpAddressCount",
                "3");
        List<String> assigned = ips(describe(client, eni));
        assertThat(assigned).hasSize(4);
        assertThat(TerwayGoClient.decode(String[].class, value(mac + "private-ipv4s")))
                .containsExactlyElementsOf(assigned);
        client.ecs(
                Response.class,
                "UnassignPrivateIpAddresses",
                "NetworkInterfaceId",
                eni,
                "PrivateIpAddress.1",
                assigned.get(2));
        assertThat(ips(describe(client, eni))).containsExactly(assigned.get(0), assigned.get(1), assigned.get(3));

        // and back
        client.ecs(Response.class, "DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", instance);
        assertThat(describe(client, eni).status()).isEqualTo("Available");
        client.ecs(Response.class, "DeleteNetworkInterface", "NetworkInterfaceId", eni);
        assertThat(list(client, eni)).isEmpty();
        assertThat(cloud.emulator.snapshot().enis()).hasSize(1);
    }

    @Test
    void itsErrorsAreDecodedToo() {
        TerwayGoClient client = new TerwayGoClient(cloud, "testid", "testsecret", "");
        Answer refused = client.get("2014-05-26", "DeleteNetworkInterface", "NetworkInterfaceId", "eni-none");
        ErrorResponse error = TerwayGoClient.decode(ErrorResponse.class, refused.text());

        assertThat(refused.status()).isEqualTo(404);
        assertThat(error.code()).isEqualTo("InvalidEniId.NotFound");
        assertThat(error.requestId()).isNotEmpty();
        assertThat(error.message()).contains("eni-none");
        assertThat(error.hostId()).isNotEmpty();
    }

    @Test
    void itsOlderFormPostsAFormAndSendsListsAsJson() {
        TerwayGoClient client = new TerwayGoClient(cloud, "testid", "testsecret", "");
        String eni = cloud.create("Description", "two words + *~");

        assertThat(client.ecsByForm(
                                DescribeNetworkInterfaces.class,
                                "DescribeNetworkInterfaces",
                                "NetworkInterfaceId",
                                "[\"" + eni + "\"]",
                                "VpcID",
                                "ignored, as the cloud ignores it")
                        .networkInterfaceSets()
                        .networkInterfaceSet())
                .singleElement()
                .satisfies(found -> assertThat(found.description()).isEqualTo("two words + *~"));
    }

    private NetworkInterface describe(TerwayGoClient client, String eni) {
        List<NetworkInterface> found = list(client, eni);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static List<NetworkInterface> list(TerwayGoClient client, String eni) {
        DescribeNetworkInterfaces answer =
                client.ecs(DescribeNetworkInterfaces.class, "DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni);
        assertThat(answer.totalCount())
                .isEqualTo(answer.networkInterfaceSets().networkInterfaceSet().size());
        assertThat(answer.pageNumber()).isEqualTo(1);
        assertThat(answer.pageSize()).isEqualTo(10);
        return answer.networkInterfaceSets().networkInterfaceSet();
    }

    private static List<String> ips(NetworkInterface eni) {
        return eni.privateIpSets().privateIpSet().stream()
                .map(PrivateIp::privateIpAddress)
                .toList();
    }

    private String read(String path) {
        Answer answer = metadata.send(HttpRequest.newBuilder(metadata.uri(META + path)));
        assertThat(answer.status()).as(path).isEqualTo(200);
        return answer.text();
    }

    /** The first line without slashes around it, as the daemon takes a value. */
    private String value(String path) {
        return read(path).lines().findFirst().orElseThrow().replaceAll("^/+|/+$", "");
    }

    private record RoleAuth(
            String accessKeyId,
            String accessKeySecret,
            String expiration,
            String securityToken,
            String lastUpdated,
            String code) {}

    private record Response(String requestId) {}

    private record ErrorResponse(String requestId, String hostId, String code, String message) {}

    private record DescribeInstances(int totalCount, int pageNumber, int pageSize, Instances instances) {}

    private record Instances(List<InstanceAttributes> instance) {}

    private record SecurityGroupIds(List<String> securityGroupId) {}

    private record IpAddresses(List<String> ipAddress) {}

    private record VpcAttributes(
            String vpcId,
            @JsonProperty("VSwitchId") String vswitchId,
            IpAddresses privateIpAddress,
            String natIpAddress) {}

    private record Eip(String allocationId, String ipAddress, int bandwidth, String internetChargeType) {}

    private record Locks(List<String> lockReason) {}

    private record InstanceAttributes(
            String instanceId,
            String instanceName,
            String description,
            String regionId,
            String zoneId,
            String instanceType,
            String instanceTypeFamily,
            String hostName,
            String status,
            Locks operationLocks,
            SecurityGroupIds securityGroupIds,
            IpAddresses publicIpAddress,
            IpAddresses innerIpAddress,
            String instanceNetworkType,
            String creationTime,
            VpcAttributes vpcAttributes,
            Eip eipAddress,
            Object ioOptimized) {}

    private record DescribeInstanceTypes(InstanceTypes instanceTypes) {}

    private record InstanceTypes(List<InstanceType> instanceType) {}

    private record InstanceType(
            String instanceTypeId,
            int cpuCoreCount,
            double memorySize,
            String instanceTypeFamily,
            int gpuAmount,
            String gpuSpec,
            int instanceBandwidthRx,
            int instanceBandwidthTx,
            int eniQuantity,
            int eniPrivateIpAddressQuantity,
            String localStorageCategory) {}

    private record DescribeVSwitches(
            int totalCount,
            int pageNumber,
            int pageSize,
            @JsonProperty("VSwitches") VSwitches vswitches) {}

    private record VSwitches(@JsonProperty("VSwitch") List<VSwitch> vswitch) {}

    private record VSwitch(
            @JsonProperty("VSwitchId") String vswitchId,
            String vpcId,
            String status,
            String cidrBlock,
            String zoneId,
            int availableIpAddressCount,
            String description,
            String creationTime) {}

    private record CreateNetworkInterface(String requestId, String networkInterfaceId) {}

    private record DescribeNetworkInterfaces(
            int totalCount, int pageNumber, int pageSize, NetworkInterfaceSets networkInterfaceSets) {}

    private record NetworkInterfaceSets(List<NetworkInterface> networkInterfaceSet) {}

    private record PrivateIpSets(List<PrivateIp> privateIpSet) {}

    private record PrivateIp(String privateIpAddress, boolean primary) {}

    private record NetworkInterface(
            String networkInterfaceId,
            String networkInterfaceName,
            PrivateIpSets privateIpSets,
            String macAddress,
            String status,
            String type,
            String vpcId,
            @JsonProperty("VSwitchId") String vswitchId,
            String zoneId,
            SecurityGroupIds securityGroupIds,
            String description,
            String instanceId,
            String creationTime,
            String privateIpAddress) {}
}
