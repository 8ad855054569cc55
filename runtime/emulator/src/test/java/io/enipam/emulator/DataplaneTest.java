package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cloud's network in real namespaces: two instances of one VPC, driven over the API and looked at with {@code ip}. */
class DataplaneTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final AtomicInteger LINKS = new AtomicInteger();

    @TempDir
    static Path scratch;

    @AutoClose
    private static VpcEmulatorProcess cloud;

    @BeforeAll
    static void start() throws Exception {
        VpcEmulatorProcess.requireNamespaces();
        cloud = VpcEmulatorProcess.start(
                "a",
                scratch,
                "--instances=2",
                "--vswitch=vsw-a=10.5.0.0/24,fd00:5::/64",
                "--vswitch=vsw-b=10.6.0.0/24",
                "--route=172.20.1.0/24=node-1");
    }

    /** An ENI on an instance, with an address of its own there. */
    private record Nic(String eni, String mac, String address, String link) {}

    private static Nic attached(int node, String vswitch) {
        String instance = cloud.on(node, "metadata instance-id");
        JsonNode eni = cloud.api("CreateNetworkInterface VSwitchId " + vswitch + " SecurityGroupId " + group());
        String id = eni.path("NetworkInterfaceId").asText();
        cloud.api("AttachNetworkInterface NetworkInterfaceId " + id + " InstanceId " + instance);
        assertThat(cloud.api("DescribeNetworkInterfaces NetworkInterfaceId.1 " + id)
                        .toString())
                .contains("InUse");
        String mac = eni.path("MacAddress").asText();
        Nic nic = new Nic(id, mac, eni.path("PrivateIpAddress").asText(), link(cloud.node(node), mac));
        VpcEmulatorProcess.ip(cloud.node(node), "link set " + nic.link() + " up");
        configure(node, nic, nic.address());
        return nic;
    }

    private static String group() {
        return cloud.api("DescribeSecurityGroups")
                .at("/SecurityGroups/SecurityGroup/0/SecurityGroupId")
                .asText();
    }

    /** The link of that MAC, which is there as soon as the API says InUse. */
    private static String link(String namespace, String mac) {
        return VpcEmulatorProcess.ip(namespace, "-o link")
                .lines()
                .filter(line -> line.contains(mac))
                .map(line -> line.split("[:@] ?")[1].strip())
                .findFirst()
                .orElseThrow(() -> new AssertionError(namespace + " has no link of " + mac));
    }

    /** A ping of one second may be lost on a busy machine. */
    private static void reaches(int node, String address) {
        await().atMost(LONG).until(() -> cloud.pings(node, address));
    }

    /** As a node has addresses of ENIs: the ENI's traffic goes through a table of its own. */
    private static void configure(int node, Nic nic, String address) {
        String table = Integer.toString(200 + LINKS.incrementAndGet());
        String gateway = address.replaceFirst("\\.[0-9]+$", ".253");
        VpcEmulatorProcess.ip(cloud.node(node), "addr add " + address + "/32 dev " + nic.link());
        VpcEmulatorProcess.ip(
                cloud.node(node), "route add default via " + gateway + " dev " + nic.link() + " onlink table " + table);
        VpcEmulatorProcess.ip(cloud.node(node), "rule add from " + address + " lookup " + table);
    }

    @Test
    void twoInstancesReachEachOtherAndTheMetadataServiceTellsEachItself() {
        reaches(0, "10.5.0.2");
        reaches(1, "10.5.0.1");
        reaches(1, "10.5.0.253");
        assertThat(cloud.on(0, "metadata private-ipv4")).isEqualTo("10.5.0.1");
        assertThat(cloud.on(1, "metadata private-ipv4")).isEqualTo("10.5.0.2");
        assertThat(cloud.on(1, "metadata hostname")).isEqualTo("node-1");
    }

    @Test
    void anAttachedEniIsALinkAndItsAddressesAreReachedAsLongAsTheyAreAssigned() {
        Nic nic = attached(1, "vsw-b");
        reaches(0, nic.address());

        String second = cloud.api(
                        "AssignPrivateIpAddresses SecondaryPrivateIpAddressCount 1 NetworkInterfaceId " + nic.eni())
                .at("/AssignedPrivateIpAddressesSet/PrivateIpSet/PrivateIpAddress/0")
                .asText();
        configure(1, nic, second);
        reaches(0, second);

        cloud.api("UnassignPrivateIpAddresses PrivateIpAddress.1 " + second + " NetworkInterfaceId " + nic.eni());
        assertThat(cloud.pings(0, second)).isFalse();
        reaches(0, nic.address());

        cloud.api("DetachNetworkInterface NetworkInterfaceId " + nic.eni() + " InstanceId "
                + cloud.on(1, "metadata instance-id"));
        assertThat(VpcEmulatorProcess.ip(cloud.node(1), "link")).doesNotContain(nic.mac());
        assertThat(VpcEmulatorProcess.ip(cloud.vpc(), "rule")).doesNotContain(nic.address());
    }

    @Test
    void aSourceThatWasNotAssignedDoesNotPass() {
        Nic nic = attached(0, "vsw-b");
        String wrong = "10.6.0.200";
        configure(0, nic, wrong);
        VpcEmulatorProcess.ip(cloud.node(0), "rule add pref 10 to 10.5.0.2 lookup 99");
        String way = " 10.5.0.2 via 10.6.0.253 dev " + nic.link() + " onlink table 99 src ";

        VpcEmulatorProcess.ip(cloud.node(0), "route replace" + way + wrong);
        long before = echoes();
        assertThat(cloud.pings(0, "10.5.0.2")).isFalse();
        assertThat(echoes())
                .as("what arrived with a source that was not assigned")
                .isEqualTo(before);

        VpcEmulatorProcess.ip(cloud.node(0), "route replace" + way + nic.address());
        reaches(0, "10.5.0.2");
        assertThat(echoes()).isGreaterThan(before);
        VpcEmulatorProcess.ip(cloud.node(0), "rule del pref 10");
    }

    /** Pings that have arrived at the second instance. */
    private static long echoes() {
        String[] lines = VpcEmulatorProcess.ok(
                        "nsenter", "--net=/run/netns/" + cloud.node(1), "grep", "^Icmp:", "/proc/net/snmp")
                .split("\n");
        String[] names = lines[0].split(" ");
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals("InEchos")) {
                return Long.parseLong(lines[1].split(" ")[i]);
            }
        }
        throw new AssertionError("no InEchos in " + lines[0]);
    }

    @Test
    void ipv6AddressesAreFollowedOnPrimaryEnisAndOthers() {
        Nic nic = attached(1, "vsw-a");
        String far = cloud.api("AssignIpv6Addresses Ipv6AddressCount 1 NetworkInterfaceId " + nic.eni())
                .at("/Ipv6Sets/Ipv6Address/0")
                .asText();
        String gateway = "fd00:5::ffff:ffff:ffff:fffd";
        VpcEmulatorProcess.ip(cloud.node(1), "addr add " + far + "/128 dev " + nic.link() + " nodad");
        VpcEmulatorProcess.ip(cloud.node(1), "-6 route add default via " + gateway + " dev " + nic.link() + " onlink");
        String primary = cloud.api("DescribeNetworkInterfaces PrimaryIpAddress 10.5.0.1 Type Primary")
                .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/NetworkInterfaceId")
                .asText();
        String near = cloud.api("AssignIpv6Addresses Ipv6AddressCount 1 NetworkInterfaceId " + primary)
                .at("/Ipv6Sets/Ipv6Address/0")
                .asText();

        await().atMost(LONG).until(() -> cloud.pings(0, far));
        await().atMost(LONG).until(() -> cloud.pings(1, near));
        cloud.api("UnassignIpv6Addresses Ipv6Address.1 " + far + " NetworkInterfaceId " + nic.eni());
        assertThat(cloud.pings(0, far)).isFalse();
        cloud.api("UnassignIpv6Addresses Ipv6Address.1 " + near + " NetworkInterfaceId " + primary);
        assertThat(VpcEmulatorProcess.ip(cloud.node(0), "-6 addr")).doesNotContain(near);
    }

    @Test
    void aLinkThatWasLostWithAPodsNamespaceComesBackToTheInstance() {
        Nic nic = attached(1, "vsw-a");
        String pod = cloud.prefix + "-pod";
        VpcEmulatorProcess.ok("ip", "netns", "add", pod);
        VpcEmulatorProcess.ip(cloud.node(1), "link set " + nic.link() + " netns " + pod);
        VpcEmulatorProcess.ok("ip", "netns", "del", pod);

        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(VpcEmulatorProcess.ip(cloud.node(1), "link")).contains(nic.mac()));
    }

    @Test
    void theRouteTableLeadsABlockToItsInstance() {
        VpcEmulatorProcess.ip(cloud.node(1), "addr add 172.20.1.7/32 dev lo");

        reaches(0, "172.20.1.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--unknown",
                "--instance-type=ecs.none",
                "--route=172.20.1.0/24=node-9",
                "--vswitch=vsw-a=10.0.0.0/29 --instances=9",
                "--control-listen=unix:/proc/none/control.sock"
            })
    void aStartThatFailsLeavesNoNamespaceBehind(String options) throws Exception {
        assertThat(VpcEmulatorProcess.failToStart("f", options.split(" "))).isEmpty();
    }

    @Test
    void theProgramTellsHowADaemonIsStartedOnEachInstance() {
        assertThat(cloud.said)
                .anyMatch(line -> line.equals("enipam-cloud: ECS and VPC on http://100.100.100.201:80"))
                .anyMatch(line -> line.endsWith("metadata on http://100.100.100.200:80"))
                .anyMatch(line -> line.contains("ip netns exec " + cloud.node(0) + " runtime/bin/enipamd --root DIR"));
    }

    @Test
    void aCloudThatStartsAgainHasTheLinksOfItsBooksAndLeavesNoNamespaceWhenItIsStopped(@TempDir Path state)
            throws Exception {
        String mac;
        String prefix;
        try (VpcEmulatorProcess first = VpcEmulatorProcess.start("b", state, "--instances=2")) {
            prefix = first.prefix;
            String instance = first.on(1, "metadata instance-id");
            String vswitch = first.on(1, "metadata vswitch-id");
            String group = first.api("DescribeSecurityGroups")
                    .at("/SecurityGroups/SecurityGroup/0/SecurityGroupId")
                    .asText();
            JsonNode eni = first.api("CreateNetworkInterface VSwitchId " + vswitch + " SecurityGroupId " + group);
            mac = eni.path("MacAddress").asText();
            first.api("AttachNetworkInterface NetworkInterfaceId "
                    + eni.path("NetworkInterfaceId").asText() + " InstanceId " + instance);
            link(first.node(1), mac);
            first.kill();
        }
        try (VpcEmulatorProcess second = VpcEmulatorProcess.start("b", state, "--instances=2")) {
            link(second.node(1), mac);
            assertThat(second.terminate()).isEqualTo(143);
            assertThat(VpcEmulatorProcess.namespaces(prefix)).isEmpty();
        }
    }
}
