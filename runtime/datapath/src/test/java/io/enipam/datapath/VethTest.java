package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.lab.SharedNode;
import io.enipam.datapath.link.RouteTables;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@RealKernel
final class VethTest extends SharedNode {
    private static final String IP = "10.9.0.10/24";

    private static int serial;

    private String netns;
    private String id;
    private String veth;

    @BeforeEach
    void sandbox() {
        id = "c" + ++serial;
        netns = lab.namespace(id);
        veth = new SandboxLinkNames(Lab.owner(id)).link("cali");
    }

    @AfterEach
    void disconnected() {
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
    }

    private static long table() {
        String rule = Sh.run("ip rule show pref 2048");
        return Long.parseLong(rule.replaceAll("(?s).*lookup (\\d+).*", "$1"));
    }

    private void ping(String to) {
        Sh.run("ip netns exec " + netns + " ping -c 1 -W 10 " + to);
    }

    @Test
    void aPodReachesItsGatewayItsNeighbourAndItsNode() {
        String other = lab.namespace("other");
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        Lab.done(lab.datapath.setUp(lab.pod("other", other, "10.9.0.11/24")));
        ping(Lab.GATEWAY);
        ping("10.9.0.11");
        ping(Lab.NODE);
        Lab.done(lab.datapath.tearDown(Lab.owner("other")));
        ping(Lab.GATEWAY);
    }

    @Test
    void theKernelLooksExactlyAsTerwaysDoesButForTheTable() {
        DatapathResult wiring = Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        String hostMac = wiring.links().get(0).mac();
        assertThat(Sh.run("ip -n " + netns + " -4 -br addr show eth0")).contains("10.9.0.10/32");
        assertThat(Sh.run("ip -n " + netns + " neigh"))
                .contains("169.254.1.1 dev eth0 lladdr " + hostMac + " PERMANENT");
        assertThat(Sh.run("ip -n " + netns + " route"))
                .isEqualToIgnoringWhitespace("default via 169.254.1.1 dev eth0 onlink");
        assertThat(Sh.run("ip route show dev " + veth)).isEqualToIgnoringWhitespace("10.9.0.10 proto 69 scope link");
        assertThat(Sh.run("ip rule show pref 512"))
                .isEqualToIgnoringWhitespace("512: from all to 10.9.0.10 lookup main proto 69");
        assertThat(Sh.run("ip rule show pref 2048"))
                .isEqualToIgnoringWhitespace("2048: from 10.9.0.10 iif " + veth + " lookup " + table() + " proto 69");
        assertThat(Sh.run("ip route show table " + table()))
                .isEqualToIgnoringWhitespace("default via " + Lab.GATEWAY + " dev " + lab.eni + " proto 69 onlink");
        assertThat(Sh.run("ip -4 -br addr show dev " + lab.eni)).contains(Lab.NODE + "/32");
        assertThat(Sh.run("cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/all/rp_filter"
                        + " /proc/sys/net/ipv4/conf/" + lab.eni + "/rp_filter /proc/sys/net/ipv4/conf/" + veth
                        + "/rp_filter"))
                .isEqualTo("1\n0\n0\n0\n");
        assertThat(wiring.addresses().get(0))
                .hasToString("PodAddress[address=10.9.0.10/32, gateway=169.254.1.1, link=1]");
    }

    @Test
    void anAddTakesTwoProcessesEvenWithBothLimitsAndNoneWithNetlink() {
        // the first look at the kernel is the daemon's at its start
        Lab.done(lab.datapath.setUp(limited("10.9.0.10/24")));
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
        long starts = lab.datapath.processStarts();
        Lab.done(lab.datapath.setUp(limited("10.9.0.10/24", "fd09::10/64")));
        assertThat(lab.datapath.processStarts() - starts).isEqualTo(Lab.NETLINK.isPresent() ? 0 : 2);
        assertThat(Sh.run("tc qdisc show dev " + veth)).contains("tbf", "rate 8Mbit");
        assertThat(Sh.run("ip netns exec " + netns + " tc qdisc show dev eth0")).contains("tbf", "rate 16Mbit");
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
    }

    private io.enipam.engine.model.DatapathRequest limited(String... addresses) {
        return Lab.pod(
                id,
                LinkRequest.into(Lab.path(netns)),
                new PodNetworkSpec(OptionalLong.of(1_000_000), OptionalLong.of(2_000_000), false),
                lab.mac,
                addresses);
    }

    @Test
    void item29TheBurstOfALimitIsManyPacketsAndNotOne() {
        Lab.done(lab.datapath.setUp(limited(IP)));
        assertThat(Sh.run("tc qdisc show dev " + veth)).contains("burst 32Kb");
    }

    @Test
    void aPodWithBothFamiliesReachesBothGateways() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP, "fd09::10/64")));
        ping(Lab.GATEWAY);
        ping(Lab.GATEWAY6);
        ping(Lab.NODE6);
        assertThat(Sh.run("ip -6 rule show")).contains("to fd09::10 lookup main", "from fd09::10 iif " + veth);
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
    }

    @Test
    void anAddThatIsRepeatedOrFindsAHalfEndsRight() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        String once = Lab.everything();
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        assertThat(Lab.everything()).isEqualTo(once);
        Sh.run("ip rule del pref 2048; ip -n " + netns + " addr flush dev eth0");
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        assertThat(Lab.everything()).isEqualTo(once);
        ping(Lab.GATEWAY);
    }

    @Test
    void anInterfaceThatAnotherMadeIsLeftAloneAndWhatWasDoneIsUndone() {
        Sh.run("ip -n " + netns + " link add eth0 type veth peer name x");
        assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP))))
                .isInstanceOf(IpamException.class)
                .hasMessageContaining("eth0 is already present in");
        assertThat(Lab.everything()).isEqualTo(before);
        assertThat(Sh.run("ip -n " + netns + " -br link show eth0")).contains("eth0");
    }

    @Test
    void anEniWithoutAWayOutIsUndoneWhole() {
        String dead = "00:16:3e:00:01:01";
        assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(
                        Lab.pod(id, LinkRequest.into(Lab.path(netns)), PodNetworkSpec.NONE, dead, IP))))
                .hasMessageContaining("no link of this node has the hardware address " + dead);
        assertThat(Lab.everything()).isEqualTo(before);
    }

    @Test
    void whatFailsInTheMiddleIsUndoneAndToldWithTheKernelsWords() {
        // no gateway is a multicast address
        Lab.eni6 = "ff02::1";
        try {
            assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP, "fd09::10/64"))))
                    .isInstanceOf(IpamException.class)
                    .hasMessageContaining("'route replace default via ff02::1 dev " + lab.eni + " onlink table ")
                    .hasMessageContaining("Invalid");
            Lab.eni6 = "nowhere";
            assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP, "fd09::10/64"))))
                    .isInstanceOf(IpamException.class)
                    .hasMessageContaining("not an IP address: 'nowhere'");
        } finally {
            Lab.eni6 = Lab.GATEWAY6;
        }
        assertThat(Lab.everything()).isEqualTo(before);
        assertThat(Sh.run("ip -n " + netns + " -br link")).doesNotContain("eth0");
        assertThat(records.toFile().list()).isEmpty();
    }

    @Test
    void aNamespaceThatVanishesInTheMiddleLeavesNothing() {
        CompletionStage<?> add = lab.datapath.setUp(lab.pod(id, netns, IP));
        lab.without(netns);
        try {
            Lab.done(add);
        } catch (IpamException e) {
            assertThat(e.getMessage()).contains(netns);
        }
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
        assertThat(records.toFile().list()).isNullOrEmpty();
    }

    @Test
    void pathsThatAreNoNamespaceOfAPodAreRefused() {
        String[] paths = {
            "/proc/self/ns/net", "/etc/passwd", "/proc/self/ns/mnt", "netns", "/var/run/netns/../x", "/a b"
        };
        for (String path : paths) {
            assertThatThrownBy(() -> Lab.done(
                            lab.datapath.setUp(Lab.pod(id, LinkRequest.into(path), PodNetworkSpec.NONE, lab.mac, IP))))
                    .as(path)
                    .isInstanceOf(IpamException.class)
                    .hasMessageContaining(path);
        }
    }

    @Test
    void aDelWithoutTheNamespaceAndASecondOneSucceed() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        lab.without(netns);
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
        assertThat(Lab.everything()).isEqualTo(before);
    }

    @Test
    void item28ALateDelOfTheOldSandboxLeavesTheNewOneOfThePodAlone() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        Lab.done(lab.datapath.tearDown(new io.enipam.engine.model.OwnerKey("enipam", id + "old", "eth0")));
        ping(Lab.GATEWAY);
    }

    @Test
    void item29TwentyPodsAtOnceAreConnectedWholeAndTakenAwayWhole() {
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            stages.add(lab.datapath.setUp(lab.pod("p" + i, lab.namespace("p" + i), "10.9.0." + (20 + i) + "/24")));
        }
        stages.forEach(Lab::done);
        assertThat(Lab.done(lab.datapath.attached())).hasSize(20);
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        stages.clear();
        for (int i = 0; i < 20; i++) {
            stages.add(lab.datapath.tearDown(Lab.owner("p" + i)));
        }
        stages.forEach(Lab::done);
    }

    @Test
    void item29TheTableIsNoneOfTheKernelsAndOutlivesANewNameOfTheNic() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        long table = table();
        assertThat(RouteTables.ours(table)).isTrue();
        Sh.run("ip link set dev " + lab.eni + " name renamed0");
        try {
            lab.restart();
            assertThat(Lab.done(lab.datapath.faults())).isEmpty();
            String other = lab.namespace("other2");
            Lab.done(lab.datapath.setUp(lab.pod("other2", other, "10.9.0.12/24")));
            assertThat(table()).isEqualTo(table);
            ping("10.9.0.12");
            Lab.done(lab.datapath.tearDown(Lab.owner("other2")));
        } finally {
            Sh.run("ip link set dev renamed0 name " + lab.eni);
        }
    }

    @Test
    void servicesLeaveByTheNodesOwnRoutes() {
        lab.services = List.of("172.16.0.0/16");
        try {
            Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        } finally {
            lab.services = List.of();
        }
        assertThat(Sh.run("ip route get 172.16.3.4 from 10.9.0.10 iif " + veth + " 2>&1 || true"))
                .doesNotContain(lab.eni);
        Sh.run("ip route add 172.16.0.0/16 via " + Lab.NODE + " dev lo onlink 2>/dev/null || true");
        assertThat(Sh.run("ip route show table " + table())).contains("throw 172.16.0.0/16");
        Sh.tried("ip route del 172.16.0.0/16");
    }

    @Test
    void recordsThatAreLostAreMadeAnewFromTheKernel() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        lab.datapath.close();
        Sh.run("rm -r " + lab.records());
        lab.datapath = lab.open();
        var attached = Lab.done(lab.datapath.attached());
        assertThat(attached).hasSize(1);
        assertThat(attached.get(0).owner()).isEqualTo(Lab.owner(id));
        assertThat(attached.get(0).pod().orElseThrow()).hasToString("default/pod-" + id);
        assertThat(attached.get(0).podUid()).isEqualTo("uid-" + id);
        assertThat(attached.get(0).addresses().toString()).isEqualTo("[/10.9.0.10]");
    }

    @Test
    void rulesWithoutLinkAndRecordGoWithTheDelOfTheirOwner() {
        Lab.done(lab.datapath.setUp(lab.pod(id, netns, IP)));
        lab.datapath.close();
        Sh.run("ip link del " + veth + "; rm -r " + lab.records());
        lab.datapath = lab.open();
        Lab.done(lab.datapath.tearDown(Lab.owner(id)));
        assertThat(Sh.run("ip rule")).doesNotContain("10.9.0.10");
        Sh.tried("ip addr del " + Lab.NODE + "/32 dev " + lab.eni);
        Sh.tried("ip -6 addr del " + Lab.NODE6 + "/128 dev " + lab.eni);
    }
}
