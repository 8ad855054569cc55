package io.enipam.examples.swarm;

import static io.enipam.examples.swarm.Objects.allocator;
import static io.enipam.examples.swarm.Objects.ingress;
import static io.enipam.examples.swarm.Objects.net;
import static io.enipam.examples.swarm.Objects.on;
import static io.enipam.examples.swarm.Objects.subnet;
import static io.enipam.examples.swarm.Objects.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Network.Driver;
import io.enipam.examples.swarm.model.Network.Ipam;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.networks.Vxlans;
import io.enipam.examples.swarm.pools.AddressPool;
import io.enipam.examples.swarm.pools.AddressSpace;
import io.enipam.examples.swarm.pools.PoolSource;
import io.enipam.examples.swarm.pools.Turns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cases of the acceptance table, part A: networks with their subnets, gateways and VXLANs. */
class NetworkCasesTest {
    private static final String VXLANS = "com.docker.network.driver.overlay.vxlanid_list";

    private final NetworkAllocator allocator = allocator();

    private static String subnetOf(Network network) {
        assertThat(network.ipam().subnets()).hasSize(1);
        Network.Subnet only = network.ipam().subnets().get(0);
        return only.subnet() + " " + only.gateway();
    }

    private String address(Network network, String task) {
        return Objects.addresses(allocator.allocateTask(task(task, on(network))))
                .get(0);
    }

    private void refused(Network network, String why) {
        List<Integer> before = allocator.held();
        assertThatThrownBy(() -> allocator.allocate(network))
                .isInstanceOf(Refused.class)
                .hasMessageEndingWith(why);
        assertThat(allocator.held()).isEqualTo(before);
    }

    private void failsForPools(String id, Network.Subnet subnet, String why) {
        refused(net(id, subnet), "failed allocating pools and gateway IP for network " + id + ": " + why);
    }

    @Test
    void a1AnAllocatorWithoutConfigurationIsUsable() {
        assertThat(subnetOf(allocator.allocate(net("n")))).isEqualTo("10.0.0.0/24 10.0.0.1");
    }

    @Test
    void a2AnUnknownIpamDriverIsRefused() {
        Ipam ipam = new Ipam(new Driver("nope", Map.of()), List.of());
        refused(
                Network.of("n", new Network.Spec("n", Map.of(), Driver.NONE, ipam, false, false)),
                "could not resolve IPAM driver nope");
    }

    @Test
    void a4ANetworkIsAllocatedOnce() {
        allocator.allocate(net("n2"));
        refused(net("n2"), "network n2 already allocated");
    }

    @Test
    void a5RestoredInAnotherOrderNetworksHaveTheSameSubnets() {
        Network one = allocator.allocate(net("n1"));
        Network two = allocator.allocate(net("n2"));
        assertThat(subnetOf(one)).isEqualTo("10.0.0.0/24 10.0.0.1");
        assertThat(subnetOf(two)).isEqualTo("10.0.1.0/24 10.0.1.1");
        assertThat(one.ipam().subnets().get(0).range()).isEmpty();

        NetworkAllocator second = allocator();
        assertThat(second.allocate(two)).isEqualTo(two);
        assertThat(second.allocate(one)).isEqualTo(one);
    }

    @Test
    void a7SubnetAndGatewayAreKeptAsTheyAreGiven() {
        assertThat(subnetOf(allocator.allocate(net("n", subnet("192.168.1.0/24", "", "192.168.1.1")))))
                .isEqualTo("192.168.1.0/24 192.168.1.1");
        assertThat(subnetOf(allocator.allocate(net("m", subnet("192.168.70.5/24")))))
                .isEqualTo("192.168.70.5/24 192.168.70.1");
    }

    @Test
    void a8AGatewayOutsideOfItsSubnetIsRefusedAndTheSubnetIsFreeAgain() {
        failsForPools("ig", subnet("192.168.1.0/24", "", "192.168.2.1"), "requested address is out of range");
        assertThat(subnetOf(allocator.allocate(net("n", subnet("192.168.1.0/24")))))
                .isEqualTo("192.168.1.0/24 192.168.1.1");
    }

    @Test
    void a10OfTwoAddressesNoneIsReserved() {
        Network network = allocator.allocate(net("n", subnet("1.1.2.0/31")));
        assertThat(subnetOf(network)).isEqualTo("1.1.2.0/31 1.1.2.0");
        assertThat(address(network, "t1")).isEqualTo("1.1.2.1/31");
        assertThatThrownBy(() -> address(network, "t2")).hasMessageEndingWith("could not find an available IP");
    }

    @Test
    void a11OfFourAddressesTheFirstAndTheLastAreReserved() {
        Network network = allocator.allocate(net("n", subnet("1.1.3.0/30")));
        assertThat(subnetOf(network)).isEqualTo("1.1.3.0/30 1.1.3.1");
        assertThat(address(network, "t1")).isEqualTo("1.1.3.2/30");
        assertThatThrownBy(() -> address(network, "t2"))
                .hasMessage("failed to allocate network IP for task t2 network n: could not find an available IP");
    }

    @Test
    void a13ASubnetThatIsGivenBackCanBeHadAgain() {
        Network network = net("n", subnet("192.168.1.0/24", "", "192.168.1.1"));
        Network first = allocator.allocate(network);
        allocator.deallocate(first);
        assertThat(allocator.held()).containsOnly(0);
        assertThat(subnetOf(allocator.allocate(network))).isEqualTo(subnetOf(first));
        assertThatThrownBy(() -> allocator.deallocate(net("other")))
                .hasMessage("could not get networker state for network other");
    }

    @Test
    void a14ADefaultPoolAndAVxlanThatCameBackWaitTheirTurn() {
        Network one = allocator.allocate(net("n1"));
        Network two = allocator.allocate(net("n2"));
        allocator.deallocate(one);
        Network three = allocator.allocate(net("n3"));
        Network again = allocator.allocate(net("n1b"));
        assertThat(List.of(one, two, three, again))
                .extracting(network -> network.ipam().subnets().get(0).subnet())
                .containsExactly("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24");
        assertThat(List.of(one, two, three, again))
                .extracting(network -> network.driver().options().get(VXLANS))
                .containsExactly("4096", "4097", "4098", "4099");
    }

    @Test
    void a14AfterTheLastDefaultPoolTheFirstFreeOneFollows() {
        NetworkAllocator few = new NetworkAllocator(Map.of("default", new AddressSpace(List.of("10.0.0.0/22"), 24)));
        List<Network> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(few.allocate(net("n" + i)));
        }
        assertThatThrownBy(() -> few.allocate(net("none")))
                .hasMessageEndingWith("could not find an available, non-overlapping IPv4 address pool among the"
                        + " defaults to assign to the network");
        few.deallocate(all.get(1));
        assertThat(subnetOf(few.allocate(net("n5")))).startsWith("10.0.1.0/24");
    }

    @Test
    void a16ASubnetThatOverlapsAnotherOneIsRefused() {
        allocator.allocate(net("n", subnet("192.168.50.0/24")));
        String overlap = "Pool overlaps with other one on this address space";
        failsForPools("part", subnet("192.168.50.128/25"), overlap);
        failsForPools("more", subnet("192.168.0.0/16"), overlap);
        failsForPools("same", subnet("192.168.50.0/24"), overlap);
        // a default pool that overlaps is passed over
        allocator.allocate(net("wide", subnet("10.0.0.0/23")));
        assertThat(subnetOf(allocator.allocate(net("any")))).isEqualTo("10.0.2.0/24 10.0.2.1");
    }

    @Test
    void a17ASubnetThatCannotBeReadIsNamed() {
        failsForPools(
                "n",
                subnet("foo"),
                "failed to parse pool request for address space \"GlobalDefault\" pool \"foo\" subpool \"\": invalid"
                        + " address pool");
    }

    @Test
    void a19AddressesComeFromTheRangeWithItsOwnAddressAndHaveTheSubnetsLength() {
        Network network = allocator.allocate(net("n", subnet("10.99.0.0/16", "10.99.1.0/24", "")));
        assertThat(subnetOf(network)).isEqualTo("10.99.0.0/16 10.99.1.0");
        assertThat(address(network, "t1")).isEqualTo("10.99.1.1/16");
        assertThat(address(network, "t2")).isEqualTo("10.99.1.2/16");
    }

    @Test
    void a19TwoNetworksShareASubnetByDifferentRanges() {
        Network one = allocator.allocate(net("n1", subnet("10.99.0.0/16", "10.99.1.0/24", "")));
        Network other = allocator.allocate(net("n2", subnet("10.99.0.0/16", "10.99.2.0/24", "")));
        assertThat(subnetOf(other)).isEqualTo("10.99.0.0/16 10.99.2.0");
        failsForPools(
                "n3", subnet("10.99.0.0/16", "10.99.1.0/24", ""), "Pool overlaps with other one on this address space");
        allocator.deallocate(one);
        assertThat(address(other, "t")).isEqualTo("10.99.2.1/16");
    }

    /** As in libnetwork, which looks for overlaps only where a subnet is asked for whole: the differential test found it with seed 60. */
    @Test
    void a16ASubnetWithARangeMayLieOverThoseOfOtherNetworks() {
        Network part = allocator.allocate(net("part", subnet("172.23.1.0/24")));
        Network over = allocator.allocate(net("over", subnet("172.23.0.0/16", "172.23.7.0/24", "")));
        assertThat(subnetOf(over)).isEqualTo("172.23.0.0/16 172.23.7.0");
        failsForPools("n", subnet("172.23.9.0/24"), "Pool overlaps with other one on this address space");
        allocator.deallocate(over);
        failsForPools("n", subnet("172.23.1.0/25"), "Pool overlaps with other one on this address space");
        allocator.allocate(over);
        allocator.deallocate(part);
        failsForPools("part", subnet("172.23.1.0/24"), "Pool overlaps with other one on this address space");
    }

    @Test
    void a20AGatewayNeedNotBeOfTheRange() {
        Network network = allocator.allocate(net("n", subnet("10.98.0.0/16", "10.98.1.0/24", "10.98.0.1")));
        assertThat(address(network, "t1")).isEqualTo("10.98.1.0/16");
        assertThat(address(network, "t2")).isEqualTo("10.98.1.1/16");
    }

    @Test
    void a22DefaultPoolsThatCannotBeSplitAreRefused() {
        assertThatThrownBy(() -> new AddressSpace(List.of("20.20.0.0/24"), 16)).hasMessage("invalid pools size: 16");
        assertThatThrownBy(() -> new AddressSpace(List.of("20.20.0.0/24"), 0)).hasMessage("invalid pools size: 0");
        assertThatThrownBy(() -> new AddressSpace(List.of("bad"), 24))
                .hasMessageStartingWith("invalid base pool \"bad\": ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bridge", "host", "macvlan", "ipvlan"})
    void a23ANodeLocalNetworkHasNoSubnet(String driver) {
        Network network = allocator.allocate(net("n", new Driver(driver, Map.of())));
        assertThat(network.driver().name()).isEqualTo(driver);
        assertThat(network.ipam().subnets()).isEmpty();
        assertThat(allocator
                        .allocateTask(task("t", on(network)))
                        .networks()
                        .get(0)
                        .addresses())
                .isEmpty();
        allocator.deallocate(network);
    }

    @Test
    void a23AnUnknownDriverIsRefused() {
        refused(net("n", new Driver("nope", Map.of())), "could not resolve network driver nope");
    }

    @Test
    void a23TheIpamDriverNullHasNoGateway() {
        Ipam ipam = new Ipam(new Driver("null", Map.of()), List.of());
        refused(
                Network.of("n", new Network.Spec("n", Map.of(), Driver.NONE, ipam, false, false)),
                "the IPAM driver null has no addresses, not even for a gateway");
    }

    @Test
    void a25AnIpamDriverGetsTheOptionsOfTheNetwork() {
        AddressSpace space = new AddressSpace(List.of("10.0.0.0/8"), 24);
        List<Map<String, String>> seen = new ArrayList<>();
        PoolSource custom = new PoolSource() {
            @Override
            public AddressPool request(String subnet, String range, Map<String, String> options) {
                seen.add(options);
                return space.request(subnet, range, options);
            }

            @Override
            public void release(AddressPool pool) {
                space.release(pool);
            }
        };
        Driver driver = new Driver("mine", Map.of("network-name", "freddie"));
        new NetworkAllocator(Map.of("mine", custom))
                .allocate(Network.of(
                        "n", new Network.Spec("n", Map.of(), Driver.NONE, new Ipam(driver, List.of()), false, false)));
        assertThat(seen).containsExactly(Map.of("network-name", "freddie"));
    }

    @Test
    void a28AVxlanThatIsNoNumberIsNamed() {
        refused(
                net("n", new Driver("overlay", Map.of(VXLANS, "abc"))),
                "failed while allocating driver state for network n: invalid vxlan id value \"abc\" passed");
    }

    @Test
    void a28AVxlanThatIsTakenIsRefusedAndTheSubnetIsFreeAgain() {
        Driver asked = new Driver("overlay", Map.of(VXLANS, "328"));
        allocator.allocate(net("n", asked));
        refused(
                net("m", asked, subnet("10.0.5.0/24")),
                "could not assign vxlan id 328 to pool 10.0.5.0/24: requested bit is already allocated");
        assertThat(subnetOf(allocator.allocate(net("o", subnet("10.0.5.0/24")))))
                .startsWith("10.0.5.0/24");
    }

    @ParameterizedTest
    @CsvSource({"0, 4789", "1024, 1024", "4789, 4789", "49151, 49151"})
    void vxlansGoToTheUdpPortThatIsConfigured(int configured, int port) {
        assertThat(Vxlans.port(configured)).isEqualTo(port);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 49152, 65535, -1})
    void aUdpPortForVxlansThatANodeMayNotHaveIsRefused(int configured) {
        assertThatThrownBy(() -> Vxlans.port(configured))
                .isInstanceOf(Refused.class)
                .hasMessage("VXLAN UDP port number is not in valid range (1024-49151): " + configured);
    }

    @Test
    void withoutNetworkSupportThereIsTheIngressNetworkAloneAndItHasNoAddresses() {
        String unavailable = "network support is unavailable";
        NetworkAllocator inert = NetworkAllocator.inert(new Turns());
        Network ingress = inert.allocate(ingress());
        assertThat(ingress.ipam().subnets()).isEmpty();
        for (String driver : List.of("", "overlay", "bridge", "host")) {
            assertThatThrownBy(() -> inert.allocate(net("n", driver, false))).hasMessage(unavailable);
        }
        assertThat(Objects.addresses(inert.allocateTask(task("t", on(ingress)))))
                .isEmpty();
        assertThat(inert.allocateAttachment(on(ingress)).addresses()).isEmpty();
        assertThatThrownBy(() -> inert.allocateTask(task("t", on(net("n"))))).hasMessageEndingWith(unavailable);
        assertThatThrownBy(() -> inert.allocateService(Objects.service("s", List.of("n"), Endpoint.Spec.NONE)))
                .hasMessage(unavailable);
        Service alone = inert.allocateService(Objects.service("s", List.of(), Endpoint.Spec.NONE));
        assertThat(inert.isServiceAllocated(alone)).isTrue();
        assertThat(inert.held()).containsOnly(0);
        inert.deallocate(ingress);
        assertThat(inert.ingress()).isEmpty();
    }

    @Test
    void a29EachIpv4SubnetHasAVxlan() {
        Network network =
                allocator.allocate(net("n", subnet("10.1.0.0/24"), subnet("10.2.0.0/24"), subnet("fd00:1::/64")));
        assertThat(network.driver().options()).isEqualTo(Map.of(VXLANS, "4096,4097"));
        assertThat(network.ipam().subnets().get(2).gateway()).isEqualTo("fd00:1::1");
        NetworkAllocator second = allocator();
        assertThat(second.allocate(network)).isEqualTo(network);
    }
}
