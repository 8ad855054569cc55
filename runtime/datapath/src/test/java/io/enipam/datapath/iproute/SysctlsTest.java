package io.enipam.datapath.iproute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@RealKernel
class SysctlsTest {
    private static final String SETTING = "net/ipv4/conf/lo/rp_filter";

    @TempDir
    private Path directory;

    private final Sysctls usual = new Sysctls(Sysctls.USUAL);

    @BeforeEach
    void mountThemASecondTime() throws IOException {
        Files.createDirectory(directory.resolve("net"));
        Sh.run("mount --bind /proc/sys/net " + directory.resolve("net"));
    }

    @AfterEach
    void unmount() {
        Sh.run("umount " + directory.resolve("net"));
    }

    @Test
    void whatIsWrittenByAnotherMountIsThisNamespacesOwn() {
        String before = usual.get(SETTING);
        String other = before.equals("0") ? "2" : "0";

        new Sysctls(directory).set(SETTING, other);

        assertThat(usual.get(SETTING)).isEqualTo(other);
        usual.set(SETTING, before);
    }

    @Test
    void aValueOfSeveralDigitsIsReadToItsEnd() {
        assertThat(usual.get("kernel/pid_max"))
                .isEqualTo(Sh.run("cat /proc/sys/kernel/pid_max").strip())
                .hasSizeGreaterThan(1);
    }

    @Test
    void aNodeThatLearnsItsIpv6RouteFromItsRouterGoesOnToDoSoWhenItForwards() {
        Sh.run("ip link add listens type veth peer name deaf");
        try {
            usual.set("net/ipv6/conf/all/forwarding", "0");
            usual.set("net/ipv6/conf/listens/accept_ra", "1");
            usual.set("net/ipv6/conf/deaf/accept_ra", "0");

            usual.set("net/ipv6/conf/all/forwarding", "1");

            assertThat(usual.get("net/ipv6/conf/listens/accept_ra")).isEqualTo("2");
            assertThat(usual.get("net/ipv6/conf/deaf/accept_ra")).isEqualTo("0");
        } finally {
            Sh.run("ip link del listens");
        }
    }

    /** The first ADDs of a node, at once and while links were changed, left it at 1 with every link at 0: no packet reached a pod. */
    @Test
    void forwardingThatManyAddsSetAtOnceIsOnForEachLink() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicBoolean ended = new AtomicBoolean();
        Future<?> links = threads.submit(() -> {
            while (!ended.get()) {
                Sh.run("ip link add busy0 type veth peer name busy1 && ip link del busy0");
            }
        });
        try {
            for (int round = 0; round < 100; round++) {
                usual.set("net/ipv4/ip_forward", "0");
                List<Future<?>> adds = new ArrayList<>();
                for (int i = 0; i < 5; i++) {
                    adds.add(threads.submit(() -> usual.set("net/ipv4/ip_forward", "1")));
                }
                for (Future<?> add : adds) {
                    add.get();
                }
                assertThat(usual.get("net/ipv4/conf/default/forwarding"))
                        .as("in round " + round)
                        .isEqualTo("1");
            }
        } finally {
            ended.set(true);
            links.get();
            threads.shutdown();
        }
    }

    /** So two programs leave it that set it at once: this process sets it alone, and others may set it as well. */
    @Test
    void aNodeThatSaysItForwardsWhileNoLinkDoesForwardsOnEachLinkAfterTheNextAdd() {
        Sh.run("ip link add there type veth peer name other");
        try {
            usual.set("net/ipv4/ip_forward", "1");
            Sh.run("for link in default lo there; do echo 0 > /proc/sys/net/ipv4/conf/$link/forwarding; done");
            assertThat(usual.get("net/ipv4/ip_forward")).isEqualTo("1");

            usual.set("net/ipv4/conf/default/forwarding", "1");

            assertThat(Sh.run("cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/*/forwarding")
                            .lines())
                    .containsOnly("1");
        } finally {
            Sh.run("ip link del there");
        }
    }

    @Test
    void aReadOnlyMountOfANodeThatSaysItForwardsWhileNoLinkDoesIsNamedWithTheCommandThatHelps() {
        usual.set("net/ipv4/ip_forward", "1");
        Sh.run("echo 0 > /proc/sys/net/ipv4/conf/default/forwarding; mount -o remount,ro,bind "
                + directory.resolve("net"));

        assertThatThrownBy(() -> new Sysctls(directory).set("net/ipv4/conf/default/forwarding", "1"))
                .hasMessageContaining("net.ipv4.conf.default.forwarding is 0 and has to be 1")
                .hasMessageContaining("run 'sysctl -w net.ipv4.ip_forward=0 net.ipv4.ip_forward=1' on the node");
        usual.set("net/ipv4/conf/default/forwarding", "1");
    }

    @Test
    void aContainersReadOnlyMountIsNamedWithWhatToDoAndDoesNoHarmWhereNothingIsToBeChanged() {
        Sh.run("mount -o remount,ro,bind " + directory.resolve("net"));
        Sysctls readOnly = new Sysctls(directory);

        readOnly.set(SETTING, usual.get(SETTING));

        assertThatThrownBy(() -> readOnly.set(SETTING, usual.get(SETTING).equals("0") ? "2" : "0"))
                .hasMessageContaining("net.ipv4.conf.lo.rp_filter")
                .hasMessageContaining(directory + " cannot be written")
                .hasMessageContaining("sysctl -w")
                .hasMessageContaining("ENIPAM_SYSCTLS");
    }
}
