package io.enipam.kubernetes.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.ApiServerClient.RequestListener;
import io.enipam.kubernetes.cluster.LeaseLeadership.LeaseName;
import io.enipam.kubernetes.cluster.LeaseLeadership.LeaseTimes;
import io.enipam.kubernetes.testing.CuttableProxy;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.kubernetes.testing.ShiftedTime;
import io.enipam.kubernetes.testing.TestScheduler;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Replicas that share a Lease of one API server, each over a line of its own. While a test runs, no two of them lead at once. */
@Execution(ExecutionMode.CONCURRENT)
class LeaseLeadershipTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final LeaseTimes SHORT =
            new LeaseTimes(Duration.ofSeconds(4), Duration.ofSeconds(2), Duration.ofMillis(300));
    /** No busy machine holds up a renewal for so long. */
    private static final LeaseTimes LONG =
            new LeaseTimes(Duration.ofSeconds(120), Duration.ofSeconds(100), Duration.ofMillis(300));

    private final FakeApiServer server = new FakeApiServer();
    private final TestScheduler scheduler = new TestScheduler();
    private final List<Replica> replicas = new CopyOnWriteArrayList<>();
    private final AtomicInteger most = new AtomicInteger();
    private final Thread watcher = new Thread(this::count, "count-leaders");

    private final class Replica {
        private final ShiftedTime time = new ShiftedTime();
        private final List<Boolean> told = new CopyOnWriteArrayList<>();
        private final CuttableProxy line;
        private final ApiServerClient calls;
        private final LeaseLeadership leadership;

        private Replica(String name) throws IOException {
            this(name, SHORT);
        }

        private Replica(String name, LeaseTimes times) throws IOException {
            line = server.line();
            calls = FakeApiServer.calls(server.config(line), RequestListener.NONE);
            leadership = new LeaseLeadership(
                    calls, new LeaseName("kube-system", "enipam-cluster", name), times, time, scheduler);
            leadership.follow(told::add);
            replicas.add(this);
        }

        private boolean leads() {
            return leadership.leads();
        }

        private void close() throws IOException {
            leadership.close();
            calls.close();
            line.close();
        }
    }

    @BeforeEach
    void begin() {
        watcher.setDaemon(true);
        watcher.start();
    }

    private void count() {
        while (!watcher.isInterrupted()) {
            // those that led before all were asked and after it: while this thread is held up the lease may go from one
            // to another
            List<Replica> before = replicas.stream().filter(Replica::leads).toList();
            int leaders = (int) before.stream().filter(Replica::leads).count();
            most.accumulateAndGet(leaders, Math::max);
            Thread.onSpinWait();
            try {
                TimeUnit.MILLISECONDS.sleep(2);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @AfterEach
    void noTwoLedAtOnce() throws Exception {
        server.answers(line -> Optional.empty());
        watcher.interrupt();
        watcher.join();
        for (Replica replica : replicas) {
            replica.close();
        }
        scheduler.close();
        server.close();
        assertThat(most).hasValueLessThan(2);
    }

    @Test
    void oneOfTwoLeadsAndTheOtherKnowsWho() throws Exception {
        Replica first = new Replica("first", LONG);
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second", LONG);

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(second.leadership.leader()).hasValue("first"));

        assertThat(second.leads()).isFalse();
        assertThat(first.leadership.leader()).hasValue("first");
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(first.told).isNotEmpty().last().isEqualTo(true);
            assertThat(second.told).containsExactly(false);
        });
    }

    @Test
    void aLeaderThatStopsLeavesTheLeaseToTheOther() throws Exception {
        Replica first = new Replica("first");
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second");

        first.leadership.close();

        assertThat(first.leads()).isFalse();
        assertThat(lease().getSpec().getHolderIdentity()).isNotEqualTo("first");
        await().atMost(PATIENCE).until(second::leads);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(first.told).last().isEqualTo(false));
    }

    @Test
    void aLeaderThatCannotReachTheServerStopsBeforeTheOtherBegins() throws Exception {
        Replica first = new Replica("first");
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second");

        first.line.cut();

        await().atMost(PATIENCE).until(second::leads);
        assertThat(first.leads()).isFalse();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(first.told).last().isEqualTo(false));
        first.line.mend();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(first.leadership.leader()).hasValue("second"));
        second.leadership.close();
        await().atMost(PATIENCE).until(first::leads);
    }

    @Test
    void whileTheServerHangsNoneLeadsAndAfterThatOneDoes() throws Exception {
        Replica first = new Replica("first");
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second");
        CountDownLatch hanging = new CountDownLatch(1);
        server.answers(line -> {
            if (line.contains("/leases")) {
                try {
                    hanging.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return Optional.empty();
        });
        try {
            await().atMost(PATIENCE).until(() -> !first.leads());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(first.told).last().isEqualTo(false));
            TimeUnit.SECONDS.sleep(5); // more than the lease lasts
            assertThat(first.leads() || second.leads()).isFalse();
        } finally {
            hanging.countDown();
        }
        await().atMost(PATIENCE).until(() -> first.leads() || second.leads());
    }

    @Test
    void aPausedProcessDoesNotLeadWhenItGoesOn() throws Exception {
        Replica first = new Replica("first");
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second");

        // nothing of it is sent, and its time passes
        first.line.cut();
        first.time.pass(Duration.ofMinutes(1));

        assertThat(first.leads()).isFalse();
        await().atMost(PATIENCE).until(second::leads);
        first.line.mend();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(first.leadership.leader()).hasValue("second"));
        assertThat(first.leads()).isFalse();
    }

    @Test
    void aLeaseWhoseDatesAreLongPastIsNotTakenWhileItIsRenewed() throws Exception {
        ZonedDateTime behind = ZonedDateTime.now(ZoneOffset.UTC).minusHours(2);
        server.client().resource(held(behind)).create();
        Replica second = new Replica("second");
        long last = System.nanoTime();
        for (int renewal = 1; renewal < 32; renewal++) {
            TimeUnit.MILLISECONDS.sleep(150); // more in all than the lease lasts
            long renewed = System.nanoTime();
            server.client().resource(held(behind.plusSeconds(renewal))).update();
            boolean leads = second.leads();
            assumeTrue(System.nanoTime() - last < TimeUnit.SECONDS.toNanos(3), "this machine renews no lease in time");
            last = renewed;
            assertThat(leads).isFalse();
        }
        assertThat(second.leadership.leader()).hasValue("other");

        await().atMost(PATIENCE).until(second::leads);
    }

    @Test
    void aLeaseWhoseDatesAreFarAheadIsTakenWhenItIsNotRenewed() throws Exception {
        server.client()
                .resource(held(ZonedDateTime.now(ZoneOffset.UTC).plusDays(1)))
                .create();
        Replica second = new Replica("second");

        await().atMost(PATIENCE).until(second::leads);

        assertThat(lease().getSpec().getHolderIdentity()).isEqualTo("second");
    }

    @Test
    void aLeaseThatIsDeletedIsNotTakenFromALeaderThatCannotKnow() throws Exception {
        Replica first = new Replica("first");
        await().atMost(PATIENCE).until(first::leads);
        Replica second = new Replica("second");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(second.leadership.leader()).hasValue("first"));

        first.line.cut();
        server.client().resource(lease()).delete();

        await().atMost(PATIENCE).until(second::leads);
        assertThat(first.leads()).isFalse();
    }

    @Test
    void manyReplicasThatComeAndGoNeverLeadTogether() throws Exception {
        for (int i = 0; i < 3; i++) {
            new Replica("replica-" + i);
        }
        for (int round = 0; round < 3; round++) {
            await().atMost(PATIENCE).until(() -> replicas.stream().anyMatch(Replica::leads));
            List<Replica> leaders =
                    new ArrayList<>(replicas.stream().filter(Replica::leads).toList());
            for (Replica leader : leaders) {
                leader.line.cut();
                await().atMost(PATIENCE).until(() -> !leader.leads());
                leader.line.mend();
            }
        }
        await().atMost(PATIENCE).until(() -> replicas.stream().anyMatch(Replica::leads));
    }

    private Lease lease() {
        return server.client()
                .leases()
                .inNamespace("kube-system")
                .withName("enipam-cluster")
                .get();
    }

    private static Lease held(ZonedDateTime renewed) {
        return new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("enipam-cluster")
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("other")
                .withLeaseDurationSeconds(4)
                .withAcquireTime(renewed)
                .withRenewTime(renewed)
                .withLeaseTransitions(1)
                .endSpec()
                .build();
    }
}
