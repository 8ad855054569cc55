package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses of the node's own CIDR: nothing of them hangs on an ENI. */
@RealKernel
final class RoutedTest {
    private static final String NODE_LINK = "nodelink";

    @TempDir
    static Path records;

    static Lab lab;

    @BeforeAll
    static void build() {
        lab = new Lab(records);
        Sh.run("ip link add " + NODE_LINK + " type bridge && ip link set " + NODE_LINK + " mtu 1450 up && ip addr add "
                + Lab.NODE + "/24 dev " + NODE_LINK);
    }

    @AfterAll
    static void remove() {
        Sh.tried("ip link del " + NODE_LINK);
        lab.close();
    }

    private static DatapathRequest pod(String container, String address, LinkRequest link) {
        Resource resource = new Resource(
                new ResourceId("node-cidr/" + address),
                new ResourceKind("node-ip"),
                List.of(Address.parse(address + "/24")),
                "",
                Map.of(Resource.GATEWAY, "10.64.0.1"));
        return Lab.pod(container, link, PodNetworkSpec.NONE, resource);
    }

    private static DatapathRequest pod(String container, String netns, String address) {
        return pod(container, address, LinkRequest.into(Lab.path(netns)));
    }

    private static void ping(String netns, String address) {
        Sh.Said said = Sh.tried("ip netns exec " + netns + " ping -c 1 -w 30 " + address);
        assertThat(said.status())
                .as(() -> said.text()
                        + Sh.tried("ip rule; ip route; ip neigh; ip -s -br link; sysctl net.ipv4.ip_forward; ip"
                                        + " netns exec "
                                        + netns + " sh -c 'ip route; ip neigh; ip -br addr'")
                                .text())
                .isZero();
    }

    @Test
    void podsOfTheNodesCidrReachEachOtherAndTheNodeAndLeaveNothingBehind() {
        List<String> before = Lab.everythingSorted();
        String a = lab.namespace("ra");
        String b = lab.namespace("rb");
        DatapathResult wiring = Lab.done(lab.datapath.setUp(pod("ra", a, "10.64.0.2")));
        Lab.done(lab.datapath.setUp(pod("rb", b, "10.64.0.3")));
        ping(a, "10.64.0.3");
        ping(a, Lab.NODE);
        Sh.run("ping -c 1 -w 30 10.64.0.2");
        assertThat(wiring.links())
                .hasSize(2)
                .allSatisfy(link -> assertThat(link.mtu())
                        .as("that of the link with the node's address")
                        .isEqualTo(1450));
        assertThat(wiring.addresses())
                .containsExactly(new DatapathResult.PodAddress(Address.parse("10.64.0.2/32"), "169.254.1.1", 1));
        assertThat(Sh.run("ip rule")).as("no ENI has a table here").doesNotContain("10.64.0");
        assertThat(Lab.done(lab.datapath.attached()))
                .extracting(Attachment::owner)
                .contains(Lab.owner("ra"), Lab.owner("rb"));

        Lab.done(lab.datapath.setUp(pod("ra", a, "10.64.0.2")));
        ping(a, "10.64.0.3");
        for (int i = 0; i < 2; i++) {
            Lab.done(lab.datapath.tearDown(Lab.owner("ra")));
            Lab.done(lab.datapath.tearDown(Lab.owner("rb")));
        }
        assertThat(Lab.everythingSorted()).isEqualTo(before);
    }

    @Test
    void aPodWhoseNamespaceIsGoneIsTakenDownAndOneWhoseRecordIsLostIsKnown() throws IOException {
        List<String> before = Lab.everythingSorted();
        String a = lab.namespace("rc");
        String b = lab.namespace("rd");
        Lab.done(lab.datapath.setUp(pod("rc", a, "10.64.0.4")));
        Lab.done(lab.datapath.setUp(pod("rd", b, "10.64.0.5")));
        try (Stream<Path> files = Files.list(records)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        lab.restart();
        assertThat(Lab.done(lab.datapath.attached()))
                .extracting(Attachment::addresses)
                .anySatisfy(addresses -> assertThat(addresses).containsExactly(Address.literal("10.64.0.4")));
        lab.without(a);
        Lab.done(lab.datapath.tearDown(Lab.owner("rc")));
        Lab.done(lab.datapath.tearDown(Lab.owner("rd")));
        assertThat(Sh.run("ip netns exec " + b + " ip -br link")).doesNotContain("eth0");
        assertThat(Lab.everythingSorted()).isEqualTo(before);
    }

    @Test
    void aPodWhoseRecordIsLostIsMendedAndKeepsItsLink() {
        String a = lab.namespace("rg");
        Lab.done(lab.datapath.setUp(pod("rg", "10.64.0.8", LinkRequest.into(Lab.path(a)))));
        lab.datapath.close();
        Sh.run("rm -r " + records);
        lab.datapath = lab.open();
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("rg")))).isEmpty();
        Sh.run("ip neigh del 10.64.0.8 dev " + new SandboxLinkNames(Lab.owner("rg")).link("cali"));
        assertThat(Lab.done(lab.datapath.repair(Set.of(Lab.owner("rg")))))
                .extracting(KernelFault::part)
                .containsExactly(KernelFault.Part.NEIGHBOUR);
        ping(a, Lab.NODE);
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("rg")))).isEmpty();
        Lab.done(lab.datapath.tearDown(Lab.owner("rg")));
    }

    @Test
    void limitsMtuAndPrefixAreTheCallers() {
        String a = lab.namespace("re");
        LinkRequest link = new LinkRequest(
                Connector.DAEMON,
                Lab.path(a),
                OptionalInt.of(1400),
                "abc",
                LinkType.IPVLAN,
                OptionalLong.of(1_000_000),
                OptionalLong.of(2_000_000),
                List.of());
        DatapathResult wiring = Lab.done(lab.datapath.setUp(pod("re", "10.64.0.6", link)));
        String host = wiring.links().get(0).name();
        assertThat(host).startsWith("abc");
        assertThat(Sh.run("tc qdisc show dev " + host)).contains("tbf").contains("rate 8Mbit");
        assertThat(Sh.run("ip netns exec " + a + " tc qdisc show dev eth0")).contains("rate 16Mbit");
        assertThat(Sh.run("ip netns exec " + a + " ip link show dev eth0")).contains("mtu 1400");
        Lab.done(lab.datapath.tearDown(Lab.owner("re")));
    }

    @Test
    void whatIsMissingIsToldAndMendedWhileThePodRuns() {
        String a = lab.namespace("rf");
        Lab.done(lab.datapath.setUp(pod("rf", a, "10.64.0.7")));
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("rf")))).isEmpty();
        Sh.run("ip route del 10.64.0.7");
        Sh.run("ip netns exec " + a + " ip addr flush dev eth0");
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("rf"))))
                .extracting(KernelFault::part)
                .contains(KernelFault.Part.ROUTE, KernelFault.Part.ADDRESS);
        Lab.done(lab.datapath.repair(Set.of(Lab.owner("rf"))));
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("rf")))).isEmpty();
        ping(a, Lab.NODE);
        Lab.done(lab.datapath.tearDown(Lab.owner("rf")));
    }
}
