package io.enipam.pluginhost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every item the engine hands out comes to an end, whatever the call as a whole comes to. */
class GuardedItemsTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final GuardLimits LIMITS = limits(Duration.ofMinutes(2));

    private final ExecutorScheduler scheduler = new ExecutorScheduler();
    private final CountDownLatch end = new CountDownLatch(1);
    private final PluginGuard guard = guard(LIMITS);
    /** For factories that are late. */
    private final PluginGuard hasty = guard(limits(Duration.ofSeconds(3)));

    private static GuardLimits limits(Duration factoryCall) {
        return new GuardLimits(
                Duration.ofMillis(50),
                factoryCall,
                Duration.ofMinutes(2),
                Duration.ofSeconds(1),
                2,
                64,
                new GuardLimits.BreakerRule(5, 10, Duration.ofHours(1)));
    }

    private PluginGuard guard(GuardLimits limits) {
        return new PluginGuard(
                "items",
                GuardedItemsTest.class.getClassLoader(),
                limits,
                new SystemTime(),
                scheduler,
                scheduler,
                health -> {});
    }

    @AfterEach
    void release() {
        end.countDown();
        guard.close();
        hasty.close();
        scheduler.close();
    }

    @Test
    void anItemWithoutAStageDoesNotCostTheOthersTheirResources() {
        CompletableFuture<CreateResult> slow = new CompletableFuture<>();
        ResourceFactory factory = guard.factory(new Wild(requests -> Arrays.asList(slow, null)), "wild");

        List<CompletionStage<CreateResult>> items = factory.create(List.of(request("a"), request("b")));
        assertThat(items.get(1).toCompletableFuture()).succeedsWithin(SOON).isInstanceOf(Failed.class);
        slow.complete(new Created(resource()));

        assertThat(items.get(0).toCompletableFuture()).succeedsWithin(SOON).isInstanceOf(Created.class);
    }

    @Test
    void aCallThatThrowsAfterItsDeadlineStillEndsItsItems() {
        ResourceFactory factory = hasty.factory(
                new Wild(requests -> {
                    outlastTheDeadline();
                    throw new IllegalStateException("too late, and nothing done");
                }),
                "wild");
        List<CompletionStage<CreateResult>> items = factory.create(List.of(request("a")));
        await().atMost(Duration.ofMinutes(1)).until(() -> hasty.counters().late() == 1);
        assertThat(items.get(0).toCompletableFuture()).isNotDone();

        end.countDown();

        assertThat(items.get(0).toCompletableFuture()).succeedsWithin(SOON).isInstanceOf(Failed.class);
    }

    @Test
    void whoWaitsForAThreadIsToldWhenAllOfThemHang() {
        for (int i = 0; i < LIMITS.concurrent(); i++) {
            guard.calls().call("hang " + i, Duration.ofMillis(300), this::outlastTheDeadline);
        }

        CompletableFuture<Boolean> behind = guard.calls().call("behind", Duration.ofMillis(100), () -> true);

        assertThat(behind)
                .failsWithin(SOON)
                .withThrowableThat()
                .withMessageMatching("(?s).*hang \\d has not returned for .*");
    }

    @Test
    void aDeliveryThatTheEngineRefusesIsAFailureOfThePlugin() {
        Resource loopback = new Resource(
                new ResourceId("bad"), ResourceKind.ENI_IP, List.of(Address.parse("127.0.0.1/8")), "", Map.of());
        ResourceFactory factory = guard.factory(
                new Wild(requests -> List.of(CompletableFuture.completedStage(new Created(loopback)))), "wild");

        for (int i = 0; i < 5; i++) {
            assertThat(factory.create(List.of(request("t" + i))).get(0).toCompletableFuture())
                    .as("the engine gets it, to dispose of it")
                    .succeedsWithin(SOON)
                    .isEqualTo(new Created(loopback));
        }

        assertThat(guard.counters().rejected()).isEqualTo(5);
        assertThat(guard.health().state()).isEqualTo(PluginGuard.PluginHealth.State.DEGRADED);
        assertThat(guard.health().cause())
                .contains("create delivered bad with the address 127.0.0.1/8, which no pod can have");
        assertThat(factory.create(List.of(request("later"))).get(0).toCompletableFuture())
                .succeedsWithin(SOON)
                .isInstanceOf(Failed.class);
    }

    @Test
    void aDeliveryOfAnotherFamilyIsAFailureOfThePlugin() {
        ResourceFactory factory = guard.factory(
                new Wild(requests -> List.of(CompletableFuture.completedStage(new Created(resource())))), "wild");
        CreateRequest six =
                new CreateRequest(new RequestToken("six"), Set.of(Family.IPV6), Instant.parse("2026-01-01T01:00:00Z"));

        assertThat(factory.create(List.of(six)).get(0).toCompletableFuture()).succeedsWithin(SOON);

        assertThat(guard.counters().rejected()).isEqualTo(1);
    }

    /** The worst plugin does not listen to an interrupt. */
    private boolean outlastTheDeadline() {
        while (end.getCount() > 0) {
            Thread.onSpinWait();
        }
        return true;
    }

    private static CreateRequest request(String token) {
        return new CreateRequest(new RequestToken(token), Set.of(Family.IPV4), Instant.parse("2026-01-01T01:00:00Z"));
    }

    private static Resource resource() {
        VirtualTime time = new VirtualTime();
        MemoryFactory maker = MemoryFactory.instant(time, 1);
        maker.create(List.of(request("r")));
        time.settle();
        return maker.contents().get(0);
    }

    /** Answers a create as a test says, and all else well. */
    private record Wild(Function<List<CreateRequest>, List<CompletionStage<CreateResult>>> making)
            implements ResourceFactory {
        @Override
        public ResourceKind kind() {
            return ResourceKind.ENI_IP;
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Set.of(Family.IPV4), 4, 4, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            return making.apply(requests);
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            return List.of();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedStage(List.of());
        }
    }
}
