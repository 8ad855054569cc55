package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Hold;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.policy.DirectPolicy;
import io.enipam.engine.policy.PolicyGuard;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.engine.pool.Provisioner.ProvisioningPlan;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PoolConcurrencyTest {
    private static final int RESOURCES = 5;
    private static final int THREADS = 8;
    private static final int ROUNDS = 3_000;

    @Test
    void eightThreadsOnFiveAddressesNeverShareOneAndAllAreServed() throws InterruptedException {
        try (RealTime time = new RealTime(4)) {
            ResourcePool pool = pool(time, RESOURCES);
            Map<ResourceId, OwnerKey> lent = new ConcurrentHashMap<>();
            AtomicInteger clashes = new AtomicInteger();
            AtomicInteger served = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            for (int thread = 0; thread < THREADS; thread++) {
                int id = thread;
                threads.execute(() -> {
                    SplittableRandom random = new SplittableRandom(id);
                    PodRef pod = new PodRef("default", "p" + id);
                    for (int round = 0; round < ROUNDS; round++) {
                        OwnerKey owner = new OwnerKey("enipam", "c" + id + "-" + round, "eth0");
                        Resource got =
                                pool.acquire(owner, pod, Duration.ofSeconds(60)).join();
                        if (lent.putIfAbsent(got.id(), owner) != null) {
                            clashes.incrementAndGet();
                        }
                        served.incrementAndGet();
                        lent.remove(got.id(), owner);
                        pool.release(owner, hold(random, got, pod));
                    }
                });
            }
            threads.shutdown();
            assertThat(threads.awaitTermination(120, TimeUnit.SECONDS)).isTrue();

            assertThat(clashes).hasValue(0);
            assertThat(served).hasValue(THREADS * ROUNDS);
            assertThat(pool.view().summary().waiting()).isZero();
            assertThat(pool.view().summary().count(ResourceState.IN_USE)).isZero();
            assertThat(pool.view().entries()).hasSize(RESOURCES);
        }
    }

    @Test
    void whileTheCloudTakesAndGivesBackAddressesNoneIsSharedAndNoneIsForgotten() throws InterruptedException {
        try (RealTime time = new RealTime(4)) {
            ResourcePool pool = pool(time, RESOURCES);
            List<Resource> all =
                    pool.view().entries().stream().map(PoolView.Entry::resource).toList();
            Set<ResourceId> ids = pool.idsOf("test");
            Map<ResourceId, OwnerKey> lent = new ConcurrentHashMap<>();
            AtomicInteger clashes = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            for (int thread = 0; thread < THREADS; thread++) {
                int id = thread;
                threads.execute(() -> {
                    SplittableRandom random = new SplittableRandom(id);
                    PodRef pod = new PodRef("default", "p" + id);
                    for (int round = 0; round < ROUNDS; round++) {
                        OwnerKey owner = new OwnerKey("enipam", "c" + id + "-" + round, "eth0");
                        Resource got =
                                pool.acquire(owner, pod, Duration.ofSeconds(60)).join();
                        if (lent.putIfAbsent(got.id(), owner) != null) {
                            clashes.incrementAndGet();
                        }
                        lent.remove(got.id(), owner);
                        pool.release(owner, hold(random, got, pod));
                    }
                });
            }
            threads.shutdown();
            SplittableRandom random = new SplittableRandom(99);
            int lost = 0;
            int regained = 0;
            while (!threads.isTerminated() || lost == 0) {
                List<Resource> left =
                        all.stream().filter(one -> random.nextInt(4) > 0).toList();
                FactoryListComparison.Findings found =
                        pool.membership().compare("test").settle(left, ids);
                lost += found.lost().size();
                disposeOfWhatIsLost(pool);
                regained += pool.membership()
                        .compare("test")
                        .settle(all, ids)
                        .regained()
                        .size();
            }
            assertThat(threads.awaitTermination(120, TimeUnit.SECONDS)).isTrue();
            disposeOfWhatIsLost(pool);
            pool.membership().compare("test").settle(all, ids);

            assertThat(clashes).hasValue(0);
            assertThat(lost).isPositive();
            assertThat(regained).isLessThanOrEqualTo(lost);
            assertThat(pool.view().summary().count(ResourceState.IN_USE)).isZero();
            assertThat(pool.view().summary().count(ResourceState.INVALID)).isZero();
            assertThat(pool.view().entries()).hasSize(RESOURCES);
        }
    }

    @Test
    void aViewShowsAllChangesOfOneMomentOrNoneWhileTheyGoOn() throws InterruptedException {
        int resources = 500;
        try (RealTime time = new RealTime(4)) {
            ResourcePool pool = pool(time, resources);
            PodRef pod = new PodRef("default", "p");
            for (int i = 0; i < resources; i++) {
                pool.acquire(new OwnerKey("enipam", "c" + i, "eth0"), pod, Duration.ZERO)
                        .join();
            }
            List<Resource> all =
                    pool.view().entries().stream().map(PoolView.Entry::resource).toList();
            Set<ResourceId> ids = pool.idsOf("test");
            AtomicBoolean viewed = new AtomicBoolean();
            Thread cloud = new Thread(() -> {
                // each call changes all five hundred in one section of the lock
                while (!viewed.get()) {
                    pool.membership().compare("test").settle(List.of(), ids);
                    pool.membership().compare("test").settle(all, ids);
                }
            });
            cloud.start();
            Set<Integer> seen = new HashSet<>();
            for (int round = 0; round < 200 || seen.size() < 2; round++) {
                PoolView view = pool.view();
                seen.add(view.summary().count(ResourceState.INVALID));
                assertThat(view.entries()).allMatch(entry -> entry.owner().isPresent());
                assertThat(view.entries().stream()
                                .map(entry -> entry.resource().id())
                                .toList())
                        .hasSize(resources)
                        .doesNotHaveDuplicates();
                PoolSummary summary = pool.summary();
                assertThat(summary.held()).isEqualTo(resources);
                assertThat(summary.leased()).isEqualTo(resources);
                assertThat(summary.count(ResourceState.INVALID)).isIn(0, resources);
            }
            viewed.set(true);
            cloud.join();

            assertThat(seen).containsExactlyInAnyOrder(0, resources);
        }
    }

    /** What the provisioner does, on a cloud that is quick. */
    private static void disposeOfWhatIsLost(ResourcePool pool) {
        ProvisioningPlan plan = pool.membership().plan(Target.between(0, RESOURCES), false);
        plan.disposals().forEach(resource -> pool.outcomes().disposed(resource));
    }

    /** Every tenth release goes through a short cool-down or reservation, the others are idle at once. */
    private static Optional<Hold> hold(SplittableRandom random, Resource resource, PodRef pod) {
        Hold.Purpose[] purposes = Hold.Purpose.values();
        return random.nextInt(10) > 0
                ? Optional.empty()
                : Optional.of(new Hold(
                        resource,
                        purposes[random.nextInt(purposes.length)],
                        pod,
                        Instant.now().plusMillis(random.nextInt(3)),
                        Duration.ZERO));
    }

    @Test
    void anOwnerThatAsksForWhatItHasKeepsNoOtherFromBeingDecided() {
        try (RealTime time = new RealTime(4)) {
            ResourcePool pool = pool(time, RESOURCES, () -> "custom");
            PodRef pod = new PodRef("default", "p");
            OwnerKey owner = new OwnerKey("enipam", "c", "eth0");
            Resource first = pool.acquire(owner, pod, Duration.ofMinutes(1)).join();
            pool.snapshot();

            assertThat(pool.acquire(owner, pod, Duration.ofMinutes(1)).join()).isEqualTo(first);
            assertThat(pool.acquire(new OwnerKey("enipam", "d", "eth0"), pod, Duration.ofMinutes(1)))
                    .as("decided by the first answer")
                    .isCompleted();
        }
    }

    @Test
    void aQuotaIsNeverExceededByPodsThatComeTogether() throws InterruptedException {
        PoolPolicy quota = new PoolPolicy() {
            @Override
            public String name() {
                return "quota";
            }

            @Override
            public Pick pick(PoolSnapshot pool, PodView pod) {
                return pool.count(ResourceState.IN_USE) + pool.waiters().size() < 7
                        ? Pick.longestIdle()
                        : Pick.refuse(ErrorKind.QUOTA_EXHAUSTED, "seven are let in");
            }
        };
        try (RealTime time = new RealTime(4)) {
            // two of the seven wait: there are five
            ResourcePool pool = pool(time, RESOURCES, quota);
            AtomicInteger refused = new AtomicInteger();
            AtomicInteger letIn = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            for (int i = 0; i < 100; i++) {
                int id = i;
                threads.execute(() -> pool.acquire(
                                new OwnerKey("enipam", "c" + id, "eth0"),
                                new PodRef("default", "p" + id),
                                Duration.ofMinutes(5))
                        .whenComplete((resource, error) -> (error == null ? letIn : refused).incrementAndGet()));
            }
            threads.shutdown();
            assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
            for (int i = 0; i < 1_200 && refused.get() < 93; i++) {
                Thread.sleep(100);
            }

            assertThat(refused).hasValue(93);
            assertThat(letIn).hasValue(RESOURCES);
            assertThat(pool.queue()).hasSize(2);
        }
    }

    private static ResourcePool pool(RealTime time, int resources) {
        return pool(time, resources, new WatermarkPolicy());
    }

    private static ResourcePool pool(RealTime time, int resources, PoolPolicy policy) {
        PoolListener nobody = new PoolListener() {
            @Override
            public void demandChanged() {}

            @Override
            public void holdsEnded(List<ResourceKey> rows) {}

            @Override
            public void drained(String factory) {}
        };
        ResourcePool pool = new ResourcePool(
                time,
                time,
                new PoolSettings("test", ResourceKind.ENI_IP, 0, resources),
                new PolicyGuard(new DirectPolicy(policy, (severity, type, subject, message, attributes) -> {})),
                nobody);
        pool.membership().capacity("test", resources);
        IntStream.range(0, resources)
                .mapToObj(i -> new Resource(
                        new ResourceId("eni/10.0." + i / 250 + "." + i % 250),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse("10.0." + i / 250 + "." + i % 250 + "/16")),
                        "eni",
                        Map.of()))
                .forEach(resource -> pool.membership().adopt(resource, Optional.empty()));
        return pool;
    }
}
