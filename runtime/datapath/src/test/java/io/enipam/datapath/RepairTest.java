package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.KernelDatapath.KernelFault.Part;
import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RealKernel
final class RepairTest {
    private static final OwnerKey OWNER = Lab.owner("r");
    private static final String VETH = new SandboxLinkNames(OWNER).link("cali");

    @TempDir
    static Path records;

    static Lab lab;
    private static String netns;

    @BeforeAll
    static void build() {
        lab = new Lab(records);
        netns = lab.namespace("r");
        Lab.done(lab.datapath.setUp(Lab.pod(
                "r",
                LinkRequest.into(Lab.path(netns)),
                new PodNetworkSpec(OptionalLong.of(1_000_000), OptionalLong.of(1_000_000), false),
                lab.mac,
                "10.9.0.10/24",
                "fd09::10/64")));
    }

    @AfterAll
    static void remove() {
        if (lab != null) {
            Lab.done(lab.datapath.tearDown(OWNER));
            lab.close();
        }
    }

    private static void broken(String command, Part part, String word) {
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        String whole = Lab.everything();
        Sh.run(command);
        List<KernelFault> faults = Lab.done(lab.datapath.faults(OWNER));
        assertThat(faults).as(command).isNotEmpty();
        assertThat(faults).allSatisfy(fault -> assertThat(fault.mendable()).isTrue());
        assertThat(faults).anySatisfy(fault -> {
            assertThat(fault.part()).isEqualTo(part);
            assertThat(fault.what()).contains(word);
        });
        assertThat(Lab.done(lab.datapath.repair(Set.of(OWNER)))).containsAll(faults);
        assertThat(Lab.done(lab.datapath.faults())).isEmpty();
        assertThat(Lab.everything()).isEqualTo(whole);
    }

    @Test
    void item29ARuleThatIsLostIsFoundAmongAllAndMadeAgain() {
        broken("ip rule del pref 2048", Part.RULE, "2048: from 10.9.0.10 iif " + VETH);
        broken("ip -6 rule del pref 512", Part.RULE, "to fd09::10 lookup main");
    }

    @Test
    void theLimitsAndTheUidOfALivingPodFollowItsManifestAndTheCallersLimitsStay() {
        OwnerKey owner = Lab.owner("limits");
        String veth = new SandboxLinkNames(owner).link("cali");
        String pod = lab.namespace("limits");
        LinkRequest plain = LinkRequest.into(Lab.path(pod));
        LinkRequest asked = new LinkRequest(
                plain.connector(),
                plain.netns(),
                plain.mtu(),
                plain.vethPrefix(),
                plain.type(),
                OptionalLong.of(3_000_000),
                OptionalLong.empty(),
                plain.hostStackCidrs());
        DatapathRequest connection =
                Lab.pod("limits", asked, PodNetworkSpec.NONE, lab.mac, "10.9.0.11/24", "fd09::11/64");
        Lease lease = connection.lease();
        Lease identified = new Lease(owner, lease.pod(), "uid-9", lease.resource(), lease.stick(), lease.since());
        Lab.done(lab.datapath.setUp(connection));
        try {
            long processes = lab.datapath.processStarts();
            assertThat(Lab.done(lab.datapath.adjust(lease, PodNetworkSpec.NONE)))
                    .isFalse();
            assertThat(lab.datapath.processStarts())
                    .as("what is right costs nothing")
                    .isEqualTo(processes);

            PodNetworkSpec both = new PodNetworkSpec(OptionalLong.of(1_000_000), OptionalLong.of(2_000_000), false);
            assertThat(Lab.done(lab.datapath.adjust(identified, both))).isTrue();
            assertThat(Sh.run("tc qdisc show dev " + veth)).contains("rate 8Mbit");
            assertThat(Sh.run("ip netns exec " + pod + " tc qdisc show dev eth0"))
                    .contains("rate 16Mbit");
            assertThat(Sh.run("ip link show dev " + veth)).contains("uid-9");
            assertThat(Lab.done(lab.datapath.faults(owner))).isEmpty();

            lab.restart();
            assertThat(Lab.done(lab.datapath.adjust(identified, PodNetworkSpec.NONE)))
                    .isTrue();
            assertThat(Sh.run("tc qdisc show dev " + veth)).as("the caller's").contains("rate 24Mbit");
            assertThat(Sh.run("ip netns exec " + pod + " tc qdisc show dev eth0"))
                    .doesNotContain("tbf");
            assertThat(Lab.done(lab.datapath.faults(owner))).isEmpty();
        } finally {
            Lab.done(lab.datapath.tearDown(owner));
        }
        assertThat(Lab.done(lab.datapath.adjust(identified, PodNetworkSpec.NONE)))
                .as("it is gone")
                .isFalse();
    }

    @Test
    void aRouteThatIsLostIsMadeAgain() {
        broken("ip route del 10.9.0.10 dev " + VETH, Part.ROUTE, "10.9.0.10 dev " + VETH);
        broken("ip -n " + netns + " route del default", Part.ROUTE, "default via 169.254.1.1 dev eth0");
    }

    @Test
    void aNeighbourAnAddressALimitAndASysctlAreMadeAgain() {
        broken("ip -n " + netns + " neigh del 169.254.1.1 dev eth0", Part.NEIGHBOUR, "169.254.1.1");
        broken("ip addr del " + Lab.NODE + "/32 dev " + lab.eni, Part.ADDRESS, Lab.NODE);
        broken("tc qdisc del dev " + VETH + " root", Part.QDISC, "tbf");
        broken("echo 1 > /proc/sys/net/ipv4/conf/" + VETH + "/rp_filter", Part.SYSCTL, "rp_filter is 1");
    }

    /** Two programs that set ip_forward at once leave it so (SysctlsTest): no packet passes, and ip_forward alone looks well. */
    @Test
    void aNodeThatSaysItForwardsWhileNoLinkDoesForwardsAgain() {
        broken(
                "cd /proc/sys/net/ipv4/conf; for link in default lo " + VETH + "; do echo 0 > $link/forwarding; done",
                Part.SYSCTL,
                "net.ipv4.conf.default.forwarding is 0 instead of 1");
        assertThat(Sh.run("cat /proc/sys/net/ipv4/conf/*/forwarding").lines()).containsOnly("1");
    }

    @Test
    void whatIsLeftOfDeadSandboxesGoesAndWhatIsNotOursStays() {
        String whole = Lab.everything();
        Sh.run("ip rule add pref 2048 from 10.9.0.99 iif cali0dead lookup 300000001 protocol 69");
        Sh.run("ip rule add pref 512 to 10.9.0.99 lookup main protocol 69");
        Sh.run("ip route add throw 1.2.3.0/24 table 300000001 protocol 69");
        Sh.run("ip rule add pref 2048 from 10.9.0.98 iif caliterway lookup 1003");
        Sh.run("ip rule add pref 77 from 10.9.0.97 lookup main");
        try {
            assertThat(Lab.done(lab.datapath.faults()))
                    .hasSize(3)
                    .allSatisfy(fault -> assertThat(fault.part()).isEqualTo(Part.LEFTOVER));
            assertThat(Lab.done(lab.datapath.repair(Set.of(OWNER)))).hasSize(3);
            assertThat(Lab.done(lab.datapath.faults())).isEmpty();
            assertThat(Sh.run("ip rule")).contains("iif caliterway", "77:");
        } finally {
            Sh.run("ip rule del pref 77; ip rule del pref 2048 iif caliterway");
        }
        assertThat(Lab.everything()).isEqualTo(whole);
    }

    @Test
    void aConnectionWithoutALeaseIsTakenAway() {
        String whole = Lab.everything();
        Lab.done(lab.datapath.setUp(lab.pod("dead", lab.namespace("dead"), "10.9.0.44/24")));
        // the daemon that made it is gone: nobody is about to commit its lease
        lab.restart();
        assertThat(Lab.done(lab.datapath.repair(Set.of(OWNER))))
                .anySatisfy(fault -> assertThat(fault.owner()).contains(Lab.owner("dead")));
        assertThat(Lab.everything()).isEqualTo(whole);
    }
}
