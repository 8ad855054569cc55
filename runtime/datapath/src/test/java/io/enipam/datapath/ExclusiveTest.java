package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pod with an ENI of its own: a veth stands for the NIC, with the VPC at its other end. */
@RealKernel
final class ExclusiveTest {
    private static final String SERVICE = "172.21.0.10";

    @TempDir
    Path records;

    private Lab lab;
    private String pod;

    @BeforeEach
    void build() {
        lab = new Lab(records);
        lab.services.add("172.21.0.0/20");
        Sh.run("ip link add nodelink type bridge && ip link set nodelink up && ip addr add " + Lab.NODE
                + "/24 dev nodelink && ip addr add " + SERVICE + "/32 dev lo");
        Sh.run("ip link set " + lab.eni + " mtu 1480");
        pod = lab.namespace("pod");
    }

    @AfterEach
    void remove() {
        // a namespace ends some time after its name, and a failed test's links with it
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        Sh.tried("ip addr del " + SERVICE + "/32 dev lo; ip link del nodelink");
        lab.close();
    }

    private DatapathRequest connection(LinkRequest link) {
        Resource resource = new Resource(
                new ResourceId("eni-1"),
                new ResourceKind("eni"),
                List.of(Address.parse("10.9.0.20/24")),
                "",
                Map.of(Resource.MAC, lab.mac, Resource.GATEWAY, Lab.GATEWAY));
        return Lab.pod("x", link, PodNetworkSpec.NONE, resource);
    }

    private DatapathRequest connection() {
        return connection(LinkRequest.into(Lab.path(pod)));
    }

    private void ping(String address) {
        Sh.run("ip netns exec " + pod + " ping -c 1 -w 30 " + address);
    }

    private String inPod(String command) {
        return Sh.run("ip netns exec " + pod + " " + command);
    }

    private void everythingWorks() {
        ping(Lab.GATEWAY);
        ping(SERVICE);
        ping(Lab.NODE);
        Sh.run("ping -c 1 -w 30 10.9.0.20");
    }

    @Test
    void theNicIsThePodsAndServicesGoThroughTheNodeAndItComesBackAsItWas() {
        List<String> before = Lab.everythingSorted();
        DatapathResult wiring = Lab.done(lab.datapath.setUp(connection()));
        everythingWorks();
        assertThat(Sh.run("ip -br link")).as("it has left the node").doesNotContain(lab.mac);
        assertThat(inPod("ip link show dev eth0")).contains(lab.mac).contains("mtu 1480");
        assertThat(inPod("ip route")).contains("default via " + Lab.GATEWAY + " dev eth0");
        assertThat(inPod("ip route get " + SERVICE)).contains("dev veth1").contains("src 10.9.0.20");
        assertThat(wiring.links())
                .extracting(DatapathResult.Link::name)
                .element(1)
                .isEqualTo("eth0");
        assertThat(wiring.addresses())
                .containsExactly(new DatapathResult.PodAddress(Address.parse("10.9.0.20/24"), Lab.GATEWAY, 1));
        assertThat(Lab.done(lab.datapath.attached()))
                .extracting(Attachment::owner)
                .containsExactly(Lab.owner("x"));

        Lab.done(lab.datapath.setUp(connection()));
        everythingWorks();

        for (int i = 0; i < 2; i++) {
            Lab.done(lab.datapath.tearDown(Lab.owner("x")));
            assertThat(Sh.run("ip link show dev " + lab.eni)).contains(lab.mac).contains("mtu 1480");
            assertThat(inPod("ip -br link")).doesNotContain("eth0").doesNotContain("veth1");
        }
        Sh.run("ip link set " + lab.eni + " up");
        assertThat(Lab.everythingSorted()).isEqualTo(before);
    }

    @Test
    void aNicThatIsDetachedUnderAPodAndComesBackByAnotherNameIsMovedIntoThePodAgain() {
        Lab.done(lab.datapath.setUp(connection()));
        everythingWorks();
        Set<OwnerKey> kept = Set.of(Lab.owner("x"));

        inPod("ip link del eth0");
        assertThat(Lab.done(lab.datapath.faults())).isNotEmpty().noneMatch(KernelFault::mendable);
        assertThat(Lab.done(lab.datapath.repair(kept))).isEmpty();
        lab.eni("late", lab.mac, Lab.GATEWAY, Lab.GATEWAY6);

        assertThat(Lab.done(lab.datapath.repair(kept)))
                .singleElement()
                .satisfies(fault -> assertThat(fault.what()).contains("the link eth0 is missing in the pod"));
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        assertThat(Sh.run("ip -br link")).doesNotContain(lab.mac);
        everythingWorks();
    }

    @Test
    void halfAnAddIsFinishedByTheNextAlsoByAnotherDaemon() {
        String host = Lab.done(lab.datapath.setUp(connection())).links().get(0).name();
        Sh.run("ip netns exec " + pod
                + " sh -c 'ip link set eth0 down; ip link set eth0 name lost; ip addr flush dev lost'");
        Sh.run("ip link del " + host);
        lab.restart();
        Lab.done(lab.datapath.setUp(connection()));
        everythingWorks();
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        assertThat(Sh.run("ip link show dev " + lab.eni))
                .as("the name it had at first")
                .contains(lab.mac);
    }

    @Test
    void aNameThatIsTakenInThePodLeavesTheNicOnTheNode() {
        List<String> before = Lab.everythingSorted();
        Sh.run("ip -n " + pod + " link add eth0 type bridge");
        assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(connection())))
                .isInstanceOf(IpamException.class)
                .hasMessageContaining("the interface eth0 is already present in " + Lab.path(pod));
        Sh.run("ip link set " + lab.eni + " up");
        assertThat(Lab.everythingSorted()).isEqualTo(before);
    }

    @Test
    void itsOldNameBeingTakenMeanwhileItIsCalledByItsHardwareAddress() {
        Lab.done(lab.datapath.setUp(connection()));
        Sh.run("ip link add " + lab.eni + " type bridge");
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        String name = "eni" + lab.mac.replace(":", "").substring(4);
        assertThat(Sh.run("ip link show dev " + name)).contains(lab.mac);
        Sh.run("ip link del " + lab.eni + "; ip link del " + name);
    }

    @Test
    void aNicThatSomebodyRenamedInThePodIsFoundByItsHardwareAddress() {
        Lab.done(lab.datapath.setUp(connection()));
        Sh.run("ip netns exec " + pod + " sh -c 'ip link set eth0 down; ip link set eth0 name net7'");
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        assertThat(Sh.run("ip link show dev " + lab.eni)).contains(lab.mac);
    }

    @Test
    void aNicThatTheKernelBroughtBackUnderAnotherNameGetsItsOwnAgain() {
        Lab.done(lab.datapath.setUp(connection()));
        // what the kernel does with a NIC when its namespace ends; a veth would end with it
        Sh.run("ip netns exec " + pod + " sh -c 'ip link set eth0 down; ip link set eth0 netns /proc/"
                + ProcessHandle.current().pid() + "/ns/net name dev5; ip link set dev lo down'");
        lab.without(pod);
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        assertThat(Sh.run("ip link show dev " + lab.eni)).contains(lab.mac);
        assertThat(Sh.run("ip -br link")).doesNotContain("dev5").doesNotContain("cali");
    }

    @Test
    void aNamespaceThatTookTheNicWithItIsNoFailure() {
        Lab.done(lab.datapath.setUp(connection()));
        lab.without(pod);
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        assertThat(Sh.run("ip -br link")).doesNotContain("cali").doesNotContain(lab.mac);
        assertThatThrownBy(
                        () -> Lab.done(lab.datapath.setUp(connection(LinkRequest.into(Lab.path(lab.namespace("p2")))))))
                .hasMessageContaining("no link of this node or of the pod has the hardware address " + lab.mac);
    }

    @Test
    void theNodesOwnNicIsGivenToNoPod() {
        Sh.run("ip addr del " + Lab.NODE + "/24 dev nodelink; ip addr add " + Lab.NODE + "/24 dev " + lab.eni);
        assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(connection())))
                .hasMessageContaining("has the node's own address " + Lab.NODE + " and is given to no pod");
        assertThat(Sh.run("ip link show dev " + lab.eni)).contains("UP");
    }

    @Test
    void limitsAreOnTheNicAndOnBothEndsOfTheWayToTheNode() {
        LinkRequest link = new LinkRequest(
                Connector.DAEMON,
                Lab.path(pod),
                OptionalInt.of(1400),
                "cali",
                LinkType.VETH,
                OptionalLong.of(1_000_000),
                OptionalLong.of(2_000_000),
                List.of("192.168.7.0/24"));
        DatapathResult wiring = Lab.done(lab.datapath.setUp(connection(link)));
        assertThat(inPod("tc qdisc show dev eth0")).contains("rate 16Mbit");
        assertThat(inPod("tc qdisc show dev veth1")).contains("rate 16Mbit");
        assertThat(Sh.run("tc qdisc show dev " + wiring.links().get(0).name())).contains("rate 8Mbit");
        assertThat(inPod("ip link show dev eth0")).contains("mtu 1400");
        assertThat(inPod("ip route get 192.168.7.9")).contains("dev veth1");
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
        assertThat(Sh.run("tc qdisc show dev " + lab.eni)).doesNotContain("tbf");
        assertThat(Sh.run("ip link show dev " + lab.eni)).contains("mtu 1480");
    }

    @Test
    void whatIsMissingIsToldAndMendedWhileThePodRuns() {
        Lab.done(lab.datapath.setUp(connection()));
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        inPod("ip route del 172.21.0.0/20");
        inPod("ip neigh del 169.254.1.1 dev veth1");
        inPod("ip route del default");
        Sh.run("ip route del 10.9.0.20");
        assertThat(Lab.done(lab.datapath.faults(Lab.owner("x"))))
                .extracting(KernelFault::part)
                .containsExactlyInAnyOrder(
                        KernelFault.Part.ROUTE,
                        KernelFault.Part.ROUTE,
                        KernelFault.Part.ROUTE,
                        KernelFault.Part.NEIGHBOUR);
        assertThat(Lab.done(lab.datapath.repair(Set.of(Lab.owner("x"))))).hasSize(4);
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        everythingWorks();
        Lab.done(lab.datapath.tearDown(Lab.owner("x")));
    }
}
