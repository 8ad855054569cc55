package io.enipam.datapath.ipvlan;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is asked of a kernel with ipvlan, which the one at hand need not be. */
class IpvlanPlanTest {
    private static final Links.Link ENI = new Links.Link("eth1", 7, 1500, List.of());
    private static final AttachmentRecord RECORD = new AttachmentRecord(
            "net/c1/eth0",
            "default",
            "web-0",
            "uid",
            IpvlanKind.NAME,
            "/var/run/netns/p",
            "",
            "",
            "00:16:3e:00:00:01",
            1400,
            List.of(new PodAddress("10.9.0.30", 24, "10.9.0.253"), new PodAddress("fd09::30", 64, "fd09::fd")),
            "00:16:3e:00:00:01",
            300_000_000,
            0,
            2_000_000,
            List.of("172.21.0.0/20", "fd21::/108"),
            Map.of());

    private static IpvlanPlan plan() {
        return new IpvlanPlan(RECORD, ENI, List.of("10.8.0.7/32", "fd08::7/128"));
    }

    @Test
    void the_commands_are_terways() {
        assertThat(plan().shared().texts())
                .containsExactly(
                        "link set dev eth1 up",
                        "link add link eth1 name ipvl_7 mtu 1500 type ipvlan mode l2",
                        "link set dev ipvl_7 arp off up",
                        "addr replace 10.8.0.7/32 dev ipvl_7 scope host",
                        "addr replace fd08::7/128 dev ipvl_7 nodad",
                        "qdisc replace dev eth1 clsact",
                        "filter replace dev eth1 egress pref 40000 handle 800::1 protocol ip u32 match ip dst"
                                + " 172.21.0.0/20 action mirred ingress redirect dev ipvl_7",
                        "filter replace dev eth1 egress pref 40001 handle 801::2 protocol ipv6 u32 match ip6 dst"
                                + " fd21::/108 action mirred ingress redirect dev ipvl_7");
        assertThat(plan().podLink().texts())
                .containsExactly("link add link eth1 name eth0 mtu 1400 netns /var/run/netns/p type ipvlan mode l2");
        assertThat(plan().routes().texts())
                .containsExactly(
                        "route replace 10.9.0.30/32 dev ipvl_7 scope link protocol 69",
                        "route replace fd09::30/128 dev ipvl_7 protocol 69");
        assertThat(plan().podSide().texts())
                .contains("addr replace 10.9.0.30/24 dev eth0", "route replace default via 10.9.0.253 dev eth0 onlink")
                .last()
                .asString()
                .startsWith("qdisc replace dev eth0 root tbf rate 2000000bps");
        assertThat(plan().without(false).texts()).hasSize(2);
        assertThat(plan().without(true).texts()).contains("link del dev ipvl_7", "qdisc del dev eth1 clsact");
    }

    /** The filter on links of another kind: what leaves one for a service is the other's to receive. */
    @RealKernel
    static class OnARealKernel {
        @Test
        void what_leaves_by_the_eni_for_a_service_comes_in_on_the_nodes_side() {
            try (Runner runner = new Runner(10)) {
                Sh.run("ip link add fen0 type veth peer name fen1; ip link add fvl0 type veth peer name fvl1;"
                        + " for l in fen0 fen1 fvl0 fvl1; do ip link set $l up; done; ip addr add 10.77.0.1/24 dev fen0;"
                        + " ip addr add 172.21.0.10/32 dev fvl1; sysctl -qw net.ipv4.conf.all.rp_filter=0"
                        + " net.ipv4.conf.fvl0.rp_filter=0 net.ipv4.conf.fvl0.accept_local=1;"
                        + " ip neigh replace 10.77.0.2 lladdr 02:00:00:00:00:01 dev fen0 nud permanent");
                IpvlanPlan plan = new IpvlanPlan(RECORD, new Links.Link("fen0", 7, 1500, List.of()), List.of());
                for (int i = 0; i < 2; i++) {
                    runner.run(Batch.here()
                            .tc("qdisc replace dev fen0 clsact")
                            .tc(plan.filter("172.21.0.0/20", 1, "fvl0"))
                            .tc(plan.filter("172.22.0.0/20", 2, "fvl0"))
                            .tc(plan.filter("fd21::/108", 1, "fvl0")));
                }
                assertThat(Sh.run("tc filter show dev fen0 egress | grep -c 'Redirect to device fvl0'"))
                        .as("the second time changes nothing")
                        .isEqualTo("3\n");
                long before = received("fvl0");
                // as a pod's packet would: by the ENI's link, though the address is this namespace's own
                Sh.tried(
                        "ip rule add pref 1 to 172.21.0.9 lookup 77; ip route add 172.21.0.9 via 10.77.0.2 dev fen0 onlink table 77;"
                                + " ping -c 2 -W 1 172.21.0.9; ip rule del pref 1; ip route flush table 77");
                assertThat(received("fvl0")).isGreaterThanOrEqualTo(before + 2);
            } finally {
                Sh.tried("ip link del fen0; ip link del fvl0");
            }
        }

        /** What the filter handed over; the link's own counter knows only what its other end sent. */
        private static long received(String link) {
            return Long.parseLong(
                    Sh.run("tc -s filter show dev fen0 egress | grep -m1 -o 'Sent [0-9]* bytes [0-9]* pkt'"
                                    + " | cut -d' ' -f4")
                            .trim());
        }
    }
}
