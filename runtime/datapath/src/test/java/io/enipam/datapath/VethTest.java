package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RealKernel
final class VethTest {
    @TempDir
    static Path records;

    static Lab lab;

    @BeforeAll
    static void build() {
        lab = new Lab(records);
    }

    @AfterAll
    static void remove() {
        lab.close();
    }

    @Test
    void a_pod_reaches_its_gateway_its_neighbour_and_its_node_and_leaves_nothing_behind() {
        String before = Lab.everything();
        String a = lab.namespace("a");
        String b = lab.namespace("b");
        Lab.done(lab.datapath.setUp(lab.pod("a", a, "10.9.0.10/24")));
        Lab.done(lab.datapath.setUp(lab.pod("b", b, "10.9.0.11/24")));
        Sh.run("ip netns exec " + a + " ping -c 1 -W 5 " + Lab.GATEWAY);
        Sh.run("ip netns exec " + a + " ping -c 1 -W 5 10.9.0.11");
        Sh.run("ip netns exec " + a + " ping -c 1 -W 5 " + Lab.NODE);
        Lab.done(lab.datapath.tearDown(Lab.owner("a")));
        Lab.done(lab.datapath.tearDown(Lab.owner("b")));
        assertThat(Lab.everything()).isEqualTo(before);
    }
}
