package io.enipam.datapath.iproute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.datapath.iproute.NetnsSnapshot.Rule;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.netlink.NetlinkHelper;
import io.enipam.datapath.netlink.Rtnetlink.VethEnd;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch does the same by netlink and by iproute2. */
@RealKernel
@Tag("netlink")
class BothWaysTest {
    /** Other builds on this machine have namespaces of their own. */
    private static final String ONE = "enipam-ways-1-" + ProcessHandle.current().pid();

    private static final String OTHER =
            "enipam-ways-2-" + ProcessHandle.current().pid();
    private static final long TABLE = 299_999_990;

    private final NetlinkHelper helper = new NetlinkHelper(Lab.NETLINK, 30);
    private final Runner netlink = new Runner(30, helper);
    private final Runner programs = new Runner(30, new NetlinkHelper(Optional.empty(), 30));

    @BeforeEach
    void namespaces() {
        assumeTrue(Lab.NETLINK.isPresent(), "enipam-netlink was not built: there is no C compiler");
        // the batches are run in one namespace, with peers in another
        Sh.run("ip netns add " + ONE + " && ip netns add " + OTHER);
    }

    @AfterEach
    void remove() {
        helper.close();
        Sh.tried("ip netns del " + ONE + "; ip netns del " + OTHER);
    }

    private static Batch batch() {
        return Batch.in(Lab.path(ONE));
    }

    /** Everything that has a form for netlink, in an order in which all of it works. */
    private static Batch made() {
        return batch().veth(
                        new VethEnd("a0", "02:00:00:00:88:01"),
                        new VethEnd("b0", "02:00:00:00:88:02"),
                        1400,
                        Lab.path(OTHER))
                .veth(
                        new VethEnd("a1", "02:00:00:00:88:03"),
                        new VethEnd("b1", "02:00:00:00:88:04"),
                        1500,
                        Lab.path(OTHER))
                .alias("a0", "enipam:net/id/eth0,default/pod,uid")
                .withoutOwnAddresses("a0")
                .mtu("a0", 1300)
                .up("a0")
                .up("a1")
                .down("a1")
                .rename("a1", "a2")
                .move("a2", Lab.path(OTHER), "c2")
                .address("10.97.0.1/24", "a0")
                .address("fd97::1/64", "a0")
                .neighbour("10.97.0.9", "02:00:00:00:88:09", "a0")
                .neighbour("fd97::9", "02:00:00:00:88:09", "a0")
                .podRoute("10.96.0.1/32", "a0")
                .podRoute("fd96::1/128", "a0")
                .defaultRoute("10.95.0.1", "a0")
                .defaultRoute("fe80::1", "a0")
                .defaultRoute("10.95.0.1", "a0", TABLE)
                .defaultRoute("fd95::1", "a0", TABLE)
                .route("172.21.0.0/20", "10.95.0.2", "a0", "10.97.0.1")
                .route("fd21::/108", "fd95::2", "a0", "fd97::1")
                .throwRoute("172.22.0.0/20", TABLE)
                .throwRoute("fd22::/108", TABLE)
                .rule(Rule.to("10.96.0.1"))
                .rule(Rule.to("fd96::1"))
                .rule(Rule.from("10.96.0.1", "a0", TABLE))
                .rule(Rule.from("fd96::1", "a0", TABLE))
                .tokenBucket("a0", 1_000_000, 32_768, 82_768)
                .sysctl("net/ipv4/conf/a0/rp_filter", "2")
                .sysctl("net/ipv6/conf/a0/accept_ra", "0");
    }

    private static Batch unmade() {
        return batch().noRule(Rule.from("10.96.0.1", "a0", TABLE))
                .noRule(Rule.to("fd96::1"))
                .flush(TABLE)
                .noPodRoute("10.96.0.1/32", "a0")
                .noPodRoute("fd96::1/128", "a0")
                .noAddress("10.97.0.1/24", "a0")
                .noAddress("fd97::1/64", "a0");
    }

    /** Without what the kernel numbers, and without carriers, which it notices some time later. */
    private static List<String> state() {
        StringBuilder state = new StringBuilder();
        for (String name : List.of(ONE, OTHER)) {
            String in = "ip -n " + name + " ";
            state.append(
                    Sh.run(
                            in + "-d link; " + in + "-br addr | grep -v fe80; " + in + "neigh show nud permanent; "
                                    + in + "-4 route show table all; " + in
                                    + "-6 route show table all | grep -v 'fe80\\|ff00\\|multicast'; "
                                    + in + "-4 rule; " + in + "-6 rule; tc -n " + name + " -d qdisc; ip netns exec "
                                    + name
                                    + " sh -c 'cat /proc/sys/net/ipv4/conf/a0/rp_filter /proc/sys/net/ipv6/conf/a0/accept_ra' 2>&1; true"));
        }
        return state.toString()
                .lines()
                .map(line -> line.replaceAll(
                        "^\\d+: |@\\w+|link-netnsid \\d+|tbf \\w+:|NO-CARRIER,|linkdown|\\b(UP|DOWN|UNKNOWN)\\b", ""))
                .map(line -> line.replaceAll("\\s+", " ").strip())
                .sorted()
                .toList();
    }

    @Test
    void theKernelIsTheSameAfterwards() {
        programs.run(made());
        List<String> wanted = state();
        programs.run(unmade());
        List<String> wantedAfter = state();
        assertThat(wantedAfter).isNotEqualTo(wanted);
        programs.run(batch().noLink("a0"));
        Sh.run("ip -n " + OTHER + " link del c2; ip netns del " + ONE + "; ip netns add " + ONE);

        long starts = programs.starts();
        netlink.run(made());
        assertThat(state()).isEqualTo(wanted);
        netlink.run(unmade());
        assertThat(state()).isEqualTo(wantedAfter);
        // all of it may be asked for again
        netlink.run(unmade());
        netlink.run(batch().noLink("a0").noLink("a0"));
        assertThat(Sh.run("ip -n " + OTHER + " -br link")).doesNotContain("b0");
        assertThat(netlink.starts()).as("no program was started").isZero();
        assertThat(programs.starts()).isEqualTo(starts);
    }

    @Test
    void aFailureHasTheCommandItsPlaceAndTheKernelsWords() {
        Batch batch = batch().up("lo")
                .noLink("none")
                .podRoute("10.94.0.1/32", "none")
                .mtu("lo", -5)
                .up("none");
        assertThatThrownBy(() -> netlink.run(batch))
                .isInstanceOf(CommandFailedException.class)
                .hasMessage("in " + Lab.path(ONE)
                        + ", 'route replace 10.94.0.1/32 dev none scope link protocol 69' (line 3 of 5): No such device:"
                        + " Cannot find device \"none\"; and 2 more commands failed");
        Batch there = batch().veth(
                        new VethEnd("a0", "02:00:00:00:88:01"),
                        new VethEnd("lo", "02:00:00:00:88:02"),
                        1400,
                        Lab.path(OTHER));
        assertThatThrownBy(() -> netlink.run(there)).isInstanceOfSatisfying(CommandFailedException.class, e -> {
            assertThat(e.answer()).startsWith(Batch.EXISTS);
            assertThat(e.command()).startsWith("link add name a0");
        });
    }

    @Test
    void aBatchOfWhichAPartHasNoOtherFormGoesByProgramsAsAWhole() {
        netlink.run(batch().up("lo").tcIfThere("qdisc del dev lo root"));
        assertThat(netlink.starts()).isEqualTo(1);
        assertThat(helper.starts()).isZero();
    }

    @Test
    void aNamespaceThatVanishedIsNamed() {
        Batch gone = Batch.in("/var/run/netns/enipam-gone").up("lo");
        assertThatThrownBy(() -> netlink.run(gone))
                .hasMessage("in /var/run/netns/enipam-gone, a batch of 1 commands was not run to its end: the network"
                        + " namespace /var/run/netns/enipam-gone cannot be entered: No such file or directory");
    }

    @Test
    void hostileWordsAreRefusedBeforeAnythingIsSent() {
        for (String word : new String[] {"a\nb", "a'b", "a#b", "$(a)", "a;b", "a-name-of-16-byt", ""}) {
            assertThatThrownBy(() -> batch().up(word)).as(word).isInstanceOf(CommandFailedException.class);
        }
        assertThat(helper.starts()).isZero();
    }
}
