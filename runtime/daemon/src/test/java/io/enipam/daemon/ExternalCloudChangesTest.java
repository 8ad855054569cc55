package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.daemon.testing.SomebodyElse;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.Lease;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.SyncPoolRequest;
import io.enipam.v1.SyncReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The real daemon with the real client on the emulator, and somebody else with the account's key: what he takes, gives back,
 * moves and attaches.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class ExternalCloudChangesTest {
    @TempDir
    Path root;

    private final EmulatedSurroundings surroundings = new EmulatedSurroundings();

    @AutoClose
    private LivingDaemon daemon;

    private SomebodyElse other;

    @BeforeEach
    void start() {
        daemon = LivingDaemon.start(root, surroundings);
        other = surroundings.somebodyElse();
    }

    @Test
    void aPodWhoseAddressIsTakenIsNamedAndTheAddressIsDroppedWithIt() {
        Lease lease = podOnASecondaryAddress();

        other.takes(eni(lease), SocketClient.ip(lease));
        afterASync(() -> assertThat(state(lease.getPod())).isEqualTo("INVALID"));

        assertThat(status().getConditionsList())
                .singleElement()
                .asString()
                .contains(lease.getPod(), SocketClient.ip(lease));
        assertThat(status().getPool().getCounts().getInvalid()).isEqualTo(1);
        sync();
        assertThat(events("AddressLost")).singleElement().satisfies(event -> {
            assertThat(event.getSeverity()).isEqualTo("ERROR");
            assertThat(event.getAttributesMap())
                    .containsEntry("pod", lease.getPod())
                    .containsEntry("address", SocketClient.ip(lease))
                    .containsEntry("eni", eni(lease));
        });

        del(lease.getPod());
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(status().getPool().getCounts().getInvalid()).isZero());
        assertThat(notLent()).doesNotContain(lease.getResource().getId());
        assertThat(status().getConditionsList()).isEmpty();
    }

    @Test
    void anAddressThatIsGivenBackIsItsPodsAgain() {
        Lease lease = podOnASecondaryAddress();
        other.takes(eni(lease), SocketClient.ip(lease));
        afterASync(() -> assertThat(state(lease.getPod())).isEqualTo("INVALID"));

        other.gives(eni(lease), SocketClient.ip(lease));
        afterASync(() -> assertThat(state(lease.getPod())).isEqualTo("IN_USE"));

        assertThat(events("AddressRegained")).hasSize(1);
        assertThat(status().getConditionsList()).isEmpty();
    }

    @Test
    void anAddressThatAnotherEniHasNowIsToldAsADangerAndLentToNobody() {
        Lease lease = podOnASecondaryAddress();
        other.takes(eni(lease), SocketClient.ip(lease));
        String theirs = other.makes(Optional.of(SocketClient.ip(lease)));

        afterASync(() -> assertThat(state(lease.getPod())).isEqualTo("INVALID"));

        assertThat(events("AddressMoved")).singleElement().satisfies(event -> {
            assertThat(event.getSeverity()).isEqualTo("ERROR");
            assertThat(event.getAttributesMap()).containsEntry("to", theirs).containsEntry("from", eni(lease));
        });
        List<String> lent = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            lent.add(SocketClient.ip(add("default/later-" + i)));
        }
        assertThat(lent).doesNotContain(SocketClient.ip(lease)).doesNotHaveDuplicates();
    }

    @Test
    void anEniThatIsDetachedUnderPodsIsAttachedAgainAndToldOnce() {
        Lease first = add("default/a");
        other.detaches(eni(first));

        afterASync(() -> assertThat(events("EniReattached")).hasSize(1));
        afterASync(() -> assertThat(state("default/a")).isEqualTo("IN_USE"));

        assertThat(events("EniLost"))
                .singleElement()
                .satisfies(event -> assertThat(event.getMessage())
                        .contains("attaches it again")
                        .doesNotContain("deleted"));
        assertThat(events("EniDeleted")).isEmpty();
        assertThat(other.sees(eni(first))).isPresent();
        assertThat(status().getConditionsList()).isEmpty();
    }

    @Test
    void theAddressesOfADeletedEniAreLostAndTheNextPodIsServedByAnother() {
        Lease first = add("default/a");
        other.detaches(eni(first));
        other.deletes(eni(first));

        afterASync(() -> assertThat(state("default/a")).isEqualTo("INVALID"));

        Lease next = add("default/b");
        assertThat(eni(next)).isNotEqualTo(eni(first));
        assertThat(SocketClient.ip(next)).isNotEqualTo(SocketClient.ip(first));
        assertThat(state("default/b")).isEqualTo("IN_USE");
        assertThat(events("EniLost")).hasSize(1);
        del("default/a");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(status().getPool().getCounts().getInvalid()).isZero());
        assertThat(enis()).extracting(Eni::getId).containsExactly(eni(next));
    }

    @Test
    void anAddressSomebodyPutOnOurEniJoinsThePoolOrGoesBack() {
        String eni = eni(add("default/a"));
        String unknown = "10.0.0.200";
        other.gives(eni, unknown);

        afterASync(() -> assertThat(events("AddressAdopted").size()
                        + events("AddressReturned").size())
                .isEqualTo(1));

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            List<String> inCloud = other.sees(eni).orElseThrow().getPrivateIpSets().stream()
                    .map(set -> set.getPrivateIpAddress())
                    .toList();
            List<String> inBooks = new ArrayList<>(notLent());
            inBooks.add("in use");
            assertThat(inBooks).as("as many in the books as in the cloud").hasSameSizeAs(inCloud);
        });
    }

    @Test
    void anEniSomebodyElseAttachedTakesASlotAndIsLeftAlone() {
        int before = capacity();
        String theirs = other.makes(Optional.empty());
        other.attaches(theirs);

        afterASync(() -> assertThat(capacity()).isEqualTo(before / 3 * 2));

        assertThat(events("ForeignEnis")).hasSize(1);
        assertThat(enis()).extracting(Eni::getId).doesNotContain(theirs);
        assertThat(other.sees(theirs).orElseThrow().getStatus()).isEqualTo("InUse");
    }

    @Test
    void aNodeInOrderFindsNothingHoweverOftenItLooks() {
        add("default/a");

        for (int i = 0; i < 5; i++) {
            SyncReport report = sync();
            assertThat(report.getFindingsList()).isEmpty();
            assertThat(report.getProblemsList()).isEmpty();
            assertThat(report.getListed()).isPositive();
        }
        assertThat(status().hasLastSync()).isTrue();
    }

    // ---- words

    /** The cloud's lists may not know of a change of a moment ago, and are not believed about it: so syncs are repeated. */
    private void afterASync(ThrowingRunnable sight) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> {
                    sync();
                    sight.run();
                });
    }

    private SyncReport sync() {
        return daemon.client()
                .control()
                .syncPool(SyncPoolRequest.getDefaultInstance())
                .getReport();
    }

    /** A primary address cannot be taken off its ENI, and the first pod has one. */
    private Lease podOnASecondaryAddress() {
        Lease lease = add("default/first");
        if (lease.getResource().getAttributesOrThrow("primary").equals("true")) {
            lease = add("default/second");
        }
        assertThat(lease.getResource().getAttributesOrThrow("primary")).isEqualTo("false");
        // else an address that is taken may be assigned again in the same moment
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            PoolCounts counts = status().getPool().getCounts();
            assertThat(counts.getIdle())
                    .isGreaterThanOrEqualTo(status().getPool().getMinIdle());
            assertThat(counts.getCreating()).isZero();
        });
        return lease;
    }

    private Lease add(String pod) {
        return daemon.add(pod, Duration.ofSeconds(25));
    }

    private void del(String pod) {
        daemon.client().del(pod);
    }

    private static String eni(Lease lease) {
        return lease.getResource().getParent();
    }

    private String state(String pod) {
        List<Lease> leases = new ArrayList<>();
        daemon.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> leases.addAll(reply.getLeasesList()));
        return leases.stream()
                .filter(lease -> lease.getPod().equals(pod))
                .map(Lease::getState)
                .findFirst()
                .orElse("no lease");
    }

    private List<String> notLent() {
        List<String> ids = new ArrayList<>();
        daemon.client()
                .inspect()
                .listIdle(ListIdleRequest.getDefaultInstance())
                .forEachRemaining(reply -> reply.getEntriesList()
                        .forEach(entry -> ids.add(entry.getResource().getId())));
        return ids;
    }

    private List<Event> events(String type) {
        return daemon.client().events().stream()
                .filter(event -> event.getType().equals(type))
                .toList();
    }

    private GetStatusReply status() {
        return daemon.client().status();
    }

    private int capacity() {
        return daemon.client().pool().getCapacity();
    }

    private List<Eni> enis() {
        return daemon.client().enis();
    }
}
