package io.enipam.datapath.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.link.IpvlanKind.IpvlanPlan;
import io.enipam.datapath.link.LinkKind.RetainedState;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is asked of a kernel with ipvlan, which the one at hand need not be. */
class IpvlanPlanTest {
    private static final Links.Link ENI = new Links.Link("eth1", 7, 1500);
    static final AttachmentRecord RECORD = new AttachmentRecord(
            new AttachmentRecord.Sandbox("net/c1/eth0", "default", "web-0", "uid"),
            "ipvlan",
            new AttachmentRecord.Ends("/var/run/netns/p", "", "", "00:16:3e:00:00:01", 1400),
            List.of(new PodAddress("10.9.0.30", 24, "10.9.0.253"), new PodAddress("fd09::30", 64, "fd09::fd")),
            new AttachmentRecord.Eni("00:16:3e:00:00:01", 300_000_000),
            new AttachmentRecord.Bandwidth(0, 2_000_000, new AttachmentRecord.Limits(0, 0)),
            List.of("172.21.0.0/20", "fd21::/108"),
            Map.of());

    private static IpvlanPlan plan() {
        return new IpvlanPlan(RECORD, ENI, List.of("10.8.0.7/32", "fd08::7/128"));
    }

    @Test
    void theCommandsAreTerways() {
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
        assertThat(plan().without(new RetainedState(true, Set.of())).texts()).hasSize(2);
        assertThat(plan().without(new RetainedState(false, Set.of())).texts())
                .contains("link del dev ipvl_7", "qdisc del dev eth1 clsact");
    }
}
