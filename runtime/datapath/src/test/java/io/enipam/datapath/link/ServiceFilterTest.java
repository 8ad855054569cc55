package io.enipam.datapath.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.link.IpvlanKind.IpvlanPlan;
import io.enipam.datapath.netlink.NetlinkHelper;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The filter on links of another kind: what leaves one for a service is the other's to receive. */
@RealKernel
class ServiceFilterTest {
    @Test
    void whatLeavesByTheEniForAServiceComesInOnTheNodesSide() {
        Runner runner = new Runner(10, new NetlinkHelper(Optional.empty(), 10));
        try {
            Sh.run("ip link add fen0 type veth peer name fen1; ip link add fvl0 type veth peer name fvl1;"
                    + " for l in fen0 fen1 fvl0 fvl1; do ip link set $l up; done; ip addr add 10.77.0.1/24 dev fen0;"
                    + " ip addr add 172.21.0.10/32 dev fvl1; sysctl -qw net.ipv4.conf.all.rp_filter=0"
                    + " net.ipv4.conf.fvl0.rp_filter=0 net.ipv4.conf.fvl0.accept_local=1;"
                    + " ip neigh replace 10.77.0.2 lladdr 02:00:00:00:00:01 dev fen0 nud permanent");
            IpvlanPlan plan = new IpvlanPlan(IpvlanPlanTest.RECORD, new Links.Link("fen0", 7, 1500), List.of());
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
            long before = handedOver();
            // as a pod's packet would: by the ENI's link, though the address is this namespace's own
            Sh.tried("ip rule add pref 1 to 172.21.0.9 lookup 77; ip route add 172.21.0.9 via 10.77.0.2 dev fen0 onlink"
                    + " table 77; ping -c 2 -W 1 172.21.0.9; ip rule del pref 1; ip route flush table 77");
            assertThat(handedOver()).isGreaterThanOrEqualTo(before + 2);
        } finally {
            Sh.tried("ip link del fen0; ip link del fvl0");
        }
    }

    /** What the filter handed over; the link's own counter knows only what its other end sent. */
    private static long handedOver() {
        return Long.parseLong(Sh.run("tc -s filter show dev fen0 egress | grep -m1 -o 'Sent [0-9]* bytes [0-9]* pkt'"
                        + " | cut -d' ' -f4")
                .trim());
    }
}
