package io.enipam.node.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EniSweeper;
import io.enipam.events.EventRing;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.EmptyFactory;
import io.enipam.platform.testing.FakeSweeper;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeferredCloudFactoryTest {
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final EventRing events = new EventRing(new SystemTime(), Runnable::run);
    private final AtomicBoolean away = new AtomicBoolean(true);
    private final AtomicBoolean listFails = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicInteger tries = new AtomicInteger();
    private final AtomicReference<ErrorKind> kind = new AtomicReference<>(ErrorKind.UNAVAILABLE);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void anOutageAtStartIsWaitedOutAndToldMeanwhile() {
        DeferredCloudFactory link = link();
        CompletableFuture<List<Resource>> listed = link.list().toCompletableFuture();

        await().atMost(Duration.ofMinutes(1))
                .until(() -> link.trouble().orElse("").contains("metadata is silent"));
        assertThat(link.capabilities().capacity()).isZero();
        assertThat(link.enis()).isEmpty();
        assertThat(created(link))
                .isInstanceOfSatisfying(Failed.class, f -> assertThat(f.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
        assertThat(listed).isNotDone();

        away.set(false);

        await().atMost(Duration.ofSeconds(30)).until(listed::isDone);
        assertThat(listed).isCompletedWithValue(List.of());
        assertThat(link.trouble()).isEmpty();
        assertThat(link.capabilities().capacity()).isEqualTo(7);
        assertThat(opened).hasValue(1);
        assertThat(events.after(0).stream().map(Event::type)).contains("CloudUnavailable");
    }

    @Test
    void theFirstListIsRetriedAndLaterOnesAreNot() {
        away.set(false);
        listFails.set(true);
        DeferredCloudFactory link = link();
        CompletableFuture<List<Resource>> first = link.list().toCompletableFuture();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> link.trouble().orElse("").contains("throttled"));

        listFails.set(false);
        await().atMost(Duration.ofSeconds(30)).until(first::isDone);
        assertThat(first).isCompleted();

        listFails.set(true);
        assertThat(link.list().toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aListThatIsAskedForAgainAndAgainDuringAnOutageIsOneList() {
        DeferredCloudFactory link = link();
        List<CompletableFuture<List<Resource>>> asked = new ArrayList<>();
        for (int minute = 0; minute < 5; minute++) {
            asked.add(link.list().toCompletableFuture());
            // the engine's time for it is over, and it asks again
            asked.get(minute).cancel(false);
        }
        CompletableFuture<List<Resource>> last = link.list().toCompletableFuture();
        away.set(false);
        await().atMost(Duration.ofSeconds(30)).until(last::isDone);
        assertThat(last).isCompletedWithValue(List.of());
        assertThat(lists)
                .as("each would be retried for as long as the outage lasts")
                .hasValue(1);
    }

    @Test
    void anOutageThatLastsIsToldOnceAndOneOfAnotherKindAgain() {
        link();
        await().atMost(Duration.ofSeconds(30)).until(() -> tries.get() >= 3);
        assertThat(unavailable()).isEqualTo(1);

        kind.set(ErrorKind.UNAUTHORIZED);
        await().atMost(Duration.ofSeconds(30)).until(() -> unavailable() == 2);
    }

    private long unavailable() {
        return events.after(0).stream()
                .filter(event -> event.type().equals("CloudUnavailable"))
                .count();
    }

    @Test
    void closingEndsTheSession() {
        away.set(false);
        DeferredCloudFactory link = link();
        link.list().toCompletableFuture().join();
        link.close();

        assertThat(closed).isTrue();
    }

    @Test
    void aSessionThatOpensAfterTheEndIsEndedOnTheSpot() throws InterruptedException {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        DeferredCloudFactory link = new DeferredCloudFactory(
                ResourceKind.ENI_IP,
                () -> {
                    opening.countDown();
                    // a client that does not mind the interrupt
                    while (go.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    return new CloudSession(
                            "i-1", new OneFactory(), List::of, new FakeSweeper(), () -> closed.set(true));
                },
                threads,
                events,
                session -> opened.incrementAndGet());
        opening.await();
        link.close();
        assertThat(closed).isFalse();

        go.countDown();

        await().atMost(Duration.ofMinutes(1)).untilTrue(closed);
        assertThat(opened).hasValue(0);
    }

    @Test
    void aSweepBeforeTheCloudAnswersFailsWithTheReasonAndOneAfterwardsWorks() {
        CloudAccess access = new CloudAccess(use -> link());
        assertThatThrownBy(() -> access.sweep(true).toCompletableFuture().join())
                .hasCauseInstanceOf(IpamException.class)
                .hasMessageContaining("no address of this node comes from the cloud");

        DeferredCloudFactory link = (DeferredCloudFactory) access.open(EniUse.ADDRESSES);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> link.trouble().orElse("").contains("metadata is silent"));
        assertThatThrownBy(() -> access.sweep(true).toCompletableFuture().join())
                .hasCauseInstanceOf(IpamException.class)
                .hasMessageContaining("metadata is silent");

        away.set(false);
        await().atMost(Duration.ofSeconds(30)).until(() -> link.trouble().isEmpty());
        EniSweeper.Report report = access.sweep(true).toCompletableFuture().join();
        assertThat(report.dryRun()).isTrue();
        assertThat(report.candidates()).hasSize(2);
    }

    private DeferredCloudFactory link() {
        return new DeferredCloudFactory(
                ResourceKind.ENI_IP,
                () -> {
                    tries.incrementAndGet();
                    if (away.get()) {
                        throw new FactoryException(kind.get(), "metadata is silent");
                    }
                    return new CloudSession(
                            "i-1", new OneFactory(), List::of, new FakeSweeper(), () -> closed.set(true));
                },
                threads,
                events,
                session -> opened.incrementAndGet());
    }

    private static CreateResult created(DeferredCloudFactory link) {
        CreateRequest request = new CreateRequest(new RequestToken("t"), Set.of(Family.IPV4), Instant.MAX);
        return link.create(List.of(request)).get(0).toCompletableFuture().join();
    }

    private final class OneFactory extends EmptyFactory {
        OneFactory() {
            super(7);
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            lists.incrementAndGet();
            return listFails.get()
                    ? CompletableFuture.failedStage(new FactoryException(ErrorKind.THROTTLED, "throttled"))
                    : super.list();
        }
    }
}
