package io.enipam.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.OpenedDb;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.v1.DbProblem;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.VerifyDbReply;
import io.enipam.v1.VerifyDbRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are written behind the engine's back are found, each by its own line, and nothing else is. */
class PoolAgreementTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path root;

    @Test
    void whatDatabaseAndPoolDoNotAgreeOnIsToldLineByLine() {
        OpenedDb opened = new OpenedDb();
        try (LivingDaemon daemon = LivingDaemon.start(root, opened)) {
            for (String pod : List.of("default/a", "default/b")) {
                daemon.client().add(pod);
            }
            // an operation counts as forgotten only while the pool makes nothing, which it did here on a busy machine
            awaitFull(daemon);
            Lease lent = lease(opened, "default/a");
            Lease removed = lease(opened, "default/b");
            Resource unknown = new Resource(
                    new ResourceId("eni-x/10.9.9.9"),
                    ResourceKind.ENI_IP,
                    List.of(Address.parse("10.9.9.9/24")),
                    "eni-x",
                    Map.of());
            OwnerKey nobody = new OwnerKey("enipam", "nobody", "eth0");
            opened.commit(
                    new Change.RemoveLease(removed.owner()),
                    new Change.PutLease(
                            new Lease(nobody, new PodRef("default", "ghost"), "", unknown, Duration.ZERO, LONG_AGO)),
                    new Change.PutIntent(new Intent("old-token", Intent.Action.DISPOSE, LONG_AGO, "cloud")),
                    new Change.PutOperation(CloudJournal.Entry.of(new CloudOperation.Delete("eni-gone"), LONG_AGO, 1)));

            VerifyDbReply found = daemon.client().inspect().verifyDb(VerifyDbRequest.getDefaultInstance());

            assertThat(found.getSound()).isFalse();
            assertThat(found.getProblemsList())
                    .extracting(DbProblem::getWhere)
                    .containsExactlyInAnyOrder(
                            "leases/" + nobody,
                            removed.resource().id().value(),
                            "intents/cloud/old-token",
                            "operations/delete/eni-gone/2020-01-01T00:00:00Z-1")
                    .doesNotContain("leases/" + lent.owner());
            assertThat(found.getProblemsList())
                    .anyMatch(problem -> problem.getMessage()
                            .endsWith("(pool: IN_USE by container "
                                    + removed.owner().containerId() + "; database: no lease)"))
                    .anyMatch(problem -> problem.getMessage()
                            .equals("the lease of pod default/ghost on disk is not the pool's (database: leased to pod"
                                    + " default/ghost, container nobody; pool: not in it)"));
        }
    }

    @Test
    void aHoldOfAnAddressThatIsIdleIsToldAndOneThatHasEndedIsNot() {
        OpenedDb opened = new OpenedDb();
        try (LivingDaemon daemon = LivingDaemon.start(root, opened)) {
            daemon.client().add("default/a");
            Resource idle = idle(daemon);
            opened.commit(new Change.PutHold(
                    new Hold(idle, Hold.Purpose.COOLING, new PodRef("default", "old"), LONG_AGO, Duration.ZERO)));
            assertThat(daemon.client()
                            .inspect()
                            .verifyDb(VerifyDbRequest.getDefaultInstance())
                            .getProblemsList())
                    .isEmpty();

            opened.commit(new Change.PutHold(new Hold(
                    idle,
                    Hold.Purpose.COOLING,
                    new PodRef("default", "old"),
                    Instant.now().plusSeconds(600),
                    Duration.ZERO)));

            assertThat(daemon.client()
                            .inspect()
                            .verifyDb(VerifyDbRequest.getDefaultInstance())
                            .getProblemsList())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.getMessage())
                            .contains("the pool lends it too early")
                            .contains("database: held until ")
                            .contains("pool: IDLE"));
        }
    }

    private static void awaitFull(LivingDaemon daemon) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            PoolCounts counts = daemon.client().pool().getCounts();
            return counts.getIdle() >= 2 && counts.getCreating() == 0 && counts.getDisposing() == 0;
        });
    }

    private static Resource idle(LivingDaemon daemon) {
        String id = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> {
                            List<String> ids = new ArrayList<>();
                            daemon.client()
                                    .inspect()
                                    .listIdle(ListIdleRequest.getDefaultInstance())
                                    .forEachRemaining(reply -> reply.getEntriesList()
                                            .forEach(entry ->
                                                    ids.add(entry.getResource().getId())));
                            return ids;
                        },
                        ids -> !ids.isEmpty())
                .get(0);
        return new Resource(
                new ResourceId(id),
                ResourceKind.ENI_IP,
                List.of(Address.parse(id.substring(id.indexOf('/') + 1) + "/24")),
                id.substring(0, id.indexOf('/')),
                Map.of());
    }

    private static Lease lease(OpenedDb opened, String pod) {
        return opened.contents().leases().stream()
                .filter(lease -> lease.pod().toString().equals(pod))
                .findFirst()
                .orElseThrow();
    }
}
