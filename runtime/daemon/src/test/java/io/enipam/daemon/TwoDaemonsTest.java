package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SharedCloud;
import io.enipam.daemon.testing.SomebodyElse;
import io.enipam.v1.Event;
import io.enipam.v1.Lease;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.SyncPoolRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two daemons on two nodes of one emulated cloud, and another actor who takes an ENI off the first node under its pods. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class TwoDaemonsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PODS = 9;

    @TempDir
    Path scratch;

    private SharedCloud cloud;
    private final List<LivingDaemon> daemons = new ArrayList<>();

    @BeforeEach
    void openCloud() {
        cloud = new SharedCloud(scratch.resolve("cloud.json"), "ecs.g7.xlarge", "ecs.g7.xlarge");
    }

    @AfterEach
    void stop() {
        daemons.forEach(LivingDaemon::close);
        cloud.close();
    }

    private LivingDaemon node(int number, String... settings) throws IOException {
        Path root = scratch.resolve("n" + number);
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                String.join("\n", settings));
        LivingDaemon daemon = LivingDaemon.start(root, cloud.node(number));
        daemons.add(daemon);
        return daemon;
    }

    @Test
    void anEniThatIsDetachedUnderPodsIsAttachedAgainAndTheOtherNodeGetsNoneOfItsAddresses() throws IOException {
        LivingDaemon here = node(0);
        LivingDaemon there = node(1);
        Map<String, String> before = adds(here, "old", PODS);
        String eni = eni(here, "default/old-0");

        cloud.control().detachEni(eni);
        Map<String, String> others = adds(there, "other", 2 * PODS);
        synced(here, () -> assertThat(events(here, "EniReattached")).hasSize(1));
        synced(here, () -> assertThat(states(here)).hasSize(PODS).containsOnly("IN_USE"));

        assertThat(others.values()).doesNotContainAnyElementsOf(before.values());
        assertThat(addresses(here)).isEqualTo(before);
        assertThat(events(here, "EniLost")).hasSize(1);
        assertThat(events(here, "EniDeleted")).isEmpty();
        assertThat(events(here, "AddressLost").size()).as("one ENI, one event").isLessThanOrEqualTo(1);
    }

    @Test
    void anEniThatIsNotAttachedAgainIsKeptAndItsAddressesGoToNoPodOfEitherNodeUntilItsPodsAreGone() throws IOException {
        LivingDaemon here = node(0, "cloud: {lost_eni: release}");
        LivingDaemon there = node(1);
        Map<String, String> before = adds(here, "old", PODS);
        String eni = eni(here, "default/old-0");
        SomebodyElse other = cloud.other();

        cloud.control().detachEni(eni);
        synced(here, () -> assertThat(states(here)).contains("INVALID"));
        Map<String, String> young = adds(here, "new", 10);
        Map<String, String> others = adds(there, "other", 2 * PODS);

        assertThat(young.values()).doesNotContainAnyElementsOf(before.values());
        assertThat(others.values()).doesNotContainAnyElementsOf(before.values());
        assertThat(events(here, "ResourceCreateFailed")).isEmpty();
        assertThat(events(here, "AddressLost"))
                .as("of one ENI one event; before it one of what was idle, while its list was empty and not believed")
                .hasSizeBetween(1, 2)
                .last()
                .satisfies(lost -> assertThat(lost.getMessage()).contains(eni, "pods"));
        assertThat(other.sees(eni)).as("kept while pods live on it").isPresent();

        before.keySet().forEach(pod -> del(here, pod));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(other.sees(eni)).isEmpty());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(events(here, "EniDeleted")).hasSize(1));
    }

    /** The cloud gave the addresses back, each was a clash and a failed create, and ADDs waited for minutes. */
    @Test
    void anEniThatIsDeletedUnderPodsDoesNotStarveTheNode() throws IOException {
        LivingDaemon here = node(0);
        Map<String, String> before = adds(here, "old", PODS);
        String eni = eni(here, "default/old-0");
        SomebodyElse other = cloud.other();
        other.detaches(eni);
        other.deletes(eni);
        synced(here, () -> assertThat(states(here)).contains("INVALID"));

        Map<String, String> young = adds(here, "new", 10);

        assertThat(young.values()).doesNotContainAnyElementsOf(before.values());
        assertThat(events(here, "ResourceCreateFailed")).isEmpty();
    }

    private static Map<String, String> adds(LivingDaemon node, String name, int count) {
        Map<String, String> addresses = new TreeMap<>();
        IntStream.range(0, count).forEach(i -> {
            String pod = "default/" + name + "-" + i;
            Lease lease = node.add(pod, Duration.ofSeconds(25));
            addresses.put(pod, lease.getResource().getAddresses(0).replaceAll("/.*", ""));
        });
        return addresses;
    }

    private static void del(LivingDaemon node, String pod) {
        node.client().del(pod);
    }

    private interface Sight {
        void run();
    }

    /** The cloud is believed in a loss only the second time. */
    private static void synced(LivingDaemon node, Sight sight) {
        await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).untilAsserted(() -> {
            node.client().control().syncPool(SyncPoolRequest.getDefaultInstance());
            sight.run();
        });
    }

    private static List<Lease> leases(LivingDaemon node) {
        List<Lease> leases = new ArrayList<>();
        node.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> leases.addAll(reply.getLeasesList()));
        return leases;
    }

    private static List<String> states(LivingDaemon node) {
        return leases(node).stream().map(Lease::getState).toList();
    }

    private static Map<String, String> addresses(LivingDaemon node) {
        Map<String, String> addresses = new TreeMap<>();
        leases(node)
                .forEach(lease -> addresses.put(
                        lease.getPod(), lease.getResource().getAddresses(0).replaceAll("/.*", "")));
        return addresses;
    }

    private static String eni(LivingDaemon node, String pod) {
        return leases(node).stream()
                .filter(lease -> lease.getPod().equals(pod))
                .map(lease -> lease.getResource().getParent())
                .findFirst()
                .orElseThrow();
    }

    private static List<Event> events(LivingDaemon node, String type) {
        return node.client().events().stream()
                .filter(event -> event.getType().equals(type))
                .toList();
    }
}
