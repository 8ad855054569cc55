package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.Lease;
import io.enipam.v1.SourceStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon with {@code ip_stack: dual} on an emulated vSwitch with IPv6. */
@Timeout(240)
class DualStackTest {
    private static final Duration PATIENTLY = Duration.ofSeconds(90);

    @TempDir
    Path root;

    @Test
    void aPodHasTwoAddressesWhichStayTogetherOverARestart() throws IOException {
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().getParent());
        Files.createDirectories(layout.eniJson().getParent());
        Files.writeString(layout.enipamYaml(), """
                pool: {min_idle: 0, max_idle: 6, cool_down: 0s}
                emulator: {vswitches: {vsw-sandbox: "10.0.0.0/24,2001:DB8:0:0::/64"}}
                """);
        Files.writeString(layout.eniJson(), "{\"version\": \"1\", \"ip_stack\": \"dual\"}");
        List<Lease> before = new ArrayList<>();
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            IntStream.range(0, 4).forEach(i -> before.add(daemon.add("default/p" + i, PATIENTLY)));
            assertThat(before)
                    .allSatisfy(lease -> assertThat(lease.getResource().getAddressesList())
                            .satisfiesExactly(
                                    four -> assertThat(four)
                                            .startsWith("10.0.0.")
                                            .endsWith("/24"),
                                    six -> assertThat(six)
                                            .startsWith("2001:db8::")
                                            .endsWith("/64")));
            bothAreShown(daemon, before.get(1));
            // an idle pair between two leases, so that the lists of the cloud are not in step
            daemon.del(before.remove(0));
            await().atMost(PATIENTLY)
                    .untilAsserted(() -> assertThat(
                                    explain(daemon, six(before.get(0))).getDifferencesList())
                            .isEmpty());
        }
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            for (Lease lease : before) {
                Explanation pod = explain(daemon, lease.getPod());
                assertThat(pod.getState()).isEqualTo("HAS_ADDRESS");
                assertThat(pod.getWhy(0)).contains(SocketClient.ip(lease) + " and " + six(lease));
                Explanation address = explain(daemon, six(lease));
                assertThat(address.getState()).isEqualTo("IN_USE");
                assertThat(address.getPod()).isEqualTo(lease.getPod());
            }
            Lease next = daemon.add("default/next", PATIENTLY);
            assertThat(next.getResource().getAddressesCount()).isEqualTo(2);
            assertThat(before.stream().map(DualStackTest::six)).doesNotContain(six(next));
            before.forEach(lease -> daemon.del(lease));
        }
    }

    private static void bothAreShown(LivingDaemon daemon, Lease lease) {
        Eni eni = daemon.client().enis().stream()
                .filter(it -> it.getId().equals(lease.getResource().getParent()))
                .findFirst()
                .orElseThrow();
        assertThat(eni.getIpv6AddressesList())
                .filteredOn(address -> address.getPod().equals(lease.getPod()))
                .extracting(EniAddress::getAddress)
                .containsExactly(six(lease));
        assertThat(eni.getIpv6AddressesCount()).isEqualTo(eni.getAddressesCount());

        // an address has many spellings: a person may use any
        Explanation address = explain(daemon, six(lease).replace("::", ":0:0:0:0:0:"));
        assertThat(address.getName()).isEqualTo(six(lease));
        assertThat(address.getState()).isEqualTo("IN_USE");
        assertThat(address.getPod()).isEqualTo(lease.getPod());
        assertThat(address.getSaysList())
                .filteredOn(says -> says.getState().equals("KNOWN"))
                .extracting(SourceStatement::getSource)
                .contains("database", "pool", "ENI book", "kernel");
    }

    private static Explanation explain(LivingDaemon daemon, String what) {
        return daemon.client()
                .inspect()
                .explain(ExplainRequest.newBuilder().setWhat(what).build())
                .getThings(0);
    }

    private static String six(Lease lease) {
        return lease.getResource().getAddresses(1).replaceAll("/.*", "");
    }
}
