package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RealKernel
final class IpvlanTest {
    @TempDir
    Path records;

    @AutoClose
    private Lab lab;

    private String pod;

    @BeforeEach
    void build() {
        lab = new Lab(records);
        pod = lab.namespace("iv");
    }

    private static boolean kernelHasIt() {
        return !Sh.tried("ip link add link lo name trial type ipvlan mode l2")
                .text()
                .contains("Unknown device type");
    }

    private DatapathRequest connection() {
        LinkRequest link = new LinkRequest(
                Connector.DAEMON,
                Lab.path(pod),
                OptionalInt.empty(),
                "cali",
                LinkType.IPVLAN,
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of("192.168.7.0/24"));
        return Lab.pod("iv", link, PodNetworkSpec.NONE, lab.mac, "10.9.0.30/24");
    }

    @Test
    void aKernelWithoutIpvlanIsNamedWithItsOptionAndTheKeyToChange() {
        assumeTrue(!kernelHasIt(), "this kernel has ipvlan");
        List<String> before = Lab.everythingSorted();
        assertThatThrownBy(() -> Lab.done(lab.datapath.setUp(connection())))
                .isInstanceOfSatisfying(
                        IpamException.class,
                        refused -> assertThat(refused.hint())
                                .contains("CONFIG_IPVLAN")
                                .contains("set eniip_virtual_type to Veth"))
                .hasMessageContaining("eniip_virtual_type is IPVlan, and this kernel has no ipvlan")
                .hasMessageContaining("Unknown device type");
        assertThat(Lab.everythingSorted()).isEqualTo(before);
        Lab.done(lab.datapath.tearDown(Lab.owner("iv")));
    }

    @Test
    void whereTheKernelHasItAPodReachesItsGatewayAndLeavesNothingBehind() {
        assumeTrue(kernelHasIt(), "this kernel has no ipvlan");
        List<String> before = Lab.everythingSorted();
        Lab.done(lab.datapath.setUp(connection()));
        Sh.run("ip netns exec " + pod + " ping -c 1 -w 30 " + Lab.GATEWAY);
        Lab.done(lab.datapath.tearDown(Lab.owner("iv")));
        Lab.done(lab.datapath.tearDown(Lab.owner("iv")));
        assertThat(Lab.everythingSorted()).isEqualTo(before);
    }
}
