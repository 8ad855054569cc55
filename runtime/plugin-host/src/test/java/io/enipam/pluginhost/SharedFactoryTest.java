package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.pluginhost.SharedFactory.OpenedFactory;
import io.enipam.pluginhost.SharedFactory.State;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class SharedFactoryTest {
    private final VirtualTime time = new VirtualTime();
    private final MemoryFactory former = MemoryFactory.instant(time, 3);
    private final MemoryFactory next = MemoryFactory.instant(time, 3);
    private final AtomicInteger open = new AtomicInteger(1);
    private final CompletableFuture<Void> formerClosed = new CompletableFuture<>();
    private Supplier<OpenedFactory> opener = () -> opened(next, CompletableFuture.completedFuture(null));
    private final SharedFactory shared =
            new SharedFactory("cidr", opened(former, formerClosed), () -> opener.get(), time);

    private OpenedFactory opened(ResourceFactory factory, CompletionStage<Void> closed) {
        return new OpenedFactory(new FactoryHandle(factory, open::decrementAndGet), "cidr", closed);
    }

    @Test
    void aCallWaitsWhileTheCodeIsReplacedAndIsAnsweredByTheNextInstance() {
        formerClosed.complete(null);
        shared.quiesce();
        assertThat(open).as("closed before the next one is opened").hasValue(0);
        CompletableFuture<CreateResult> made = create();
        CompletableFuture<List<Resource>> listed = shared.list().toCompletableFuture();

        open.incrementAndGet();
        shared.reopen();
        time.advance(Duration.ofSeconds(1));
        assertThat(made).isNotDone();
        assertThat(listed).isNotDone();
        CompletableFuture<List<Resource>> ahead = shared.listAhead().toCompletableFuture();
        time.advance(Duration.ofSeconds(1));
        assertThat(ahead).isCompletedWithValue(List.of());

        shared.serve();
        time.advance(Duration.ofSeconds(1));
        assertThat(made.join()).isInstanceOf(Created.class);
        assertThat(listed).isCompleted();
        CompletableFuture<List<Resource>> of = next.list().toCompletableFuture();
        CompletableFuture<List<Resource>> before = former.list().toCompletableFuture();
        time.advance(Duration.ofSeconds(1));
        assertThat(of.join()).hasSize(1);
        assertThat(before).isCompletedWithValue(List.of());
    }

    @Test
    void aCallThatWaitsForAMinuteFails() {
        shared.quiesce();
        CompletableFuture<CreateResult> made = create();

        time.advance(Duration.ofSeconds(61));

        assertThat(made.join()).isEqualTo(Failed.of(ErrorKind.UNAVAILABLE, "factory cidr is being replaced"));
    }

    @Test
    void anInstanceOfAnotherProviderIsClosedAgain() {
        formerClosed.complete(null);
        opener = () -> new OpenedFactory(new FactoryHandle(next, open::decrementAndGet), "eni-ip");
        shared.quiesce();
        open.incrementAndGet();

        assertThatThrownBy(shared::reopen)
                .isInstanceOf(FactoryException.class)
                .hasMessage(
                        "factory cidr is another one now: its resources are those of eni-ip, and were those of cidr");

        assertThat(open).hasValue(0);
    }

    @Test
    void oneThatDoesNotCloseIsFollowedByNoOtherUntilItHas() throws Exception {
        shared.quiesce();
        assertThatThrownBy(shared::reopen).hasMessage("factory cidr has not closed");

        shared.giveUp("factory cidr has not closed");
        assertThat(create().join())
                .isEqualTo(Failed.of(ErrorKind.UNAVAILABLE, "factory cidr is not open: factory cidr has not closed"));
        formerClosed.complete(null);

        CompletableFuture<List<Resource>> listed = shared.list().toCompletableFuture();
        await().atMost(Duration.ofMinutes(1)).until(() -> shared.state() == State.SERVING);
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            time.advance(Duration.ofSeconds(1));
            assertThat(listed).isCompletedWithValue(List.of());
        });
        CompletableFuture<CreateResult> made = create();
        time.advance(Duration.ofSeconds(1));
        assertThat(made.join()).isInstanceOf(Created.class);
    }

    @Test
    void aListFailsWhereOpeningFailsInAWayThatNoneForesaw() {
        formerClosed.complete(null);
        shared.quiesce();
        shared.giveUp("its jar is gone");
        opener = () -> {
            throw new IllegalStateException("zip file closed");
        };

        CompletableFuture<List<Resource>> listed = shared.list().toCompletableFuture();

        assertThat(listed)
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .havingRootCause()
                .withMessage("factory cidr is not open: zip file closed");
    }

    @Test
    void aCallThatNeverEndsIsGivenUpWhenTheInstanceIsClosed() {
        MemoryFactory mute = MemoryFactory.instant(time, 1);
        ResourceFactory hanging = new FactoryHandle(mute, () -> {}) {
            @Override
            public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                return List.of(new CompletableFuture<>());
            }
        };
        SharedFactory stuck = new SharedFactory("stuck", new OpenedFactory(hanging, "stuck"), () -> opener.get(), time);
        CompletableFuture<CreateResult> made = create(stuck);

        stuck.quiesce();

        assertThat(made.join())
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
    }

    private CompletableFuture<CreateResult> create() {
        return create(shared);
    }

    private CompletableFuture<CreateResult> create(ResourceFactory factory) {
        CreateRequest request = new CreateRequest(
                new RequestToken("token-1"), Set.of(Family.IPV4), time.now().plusSeconds(300));
        return factory.create(List.of(request)).get(0).toCompletableFuture();
    }
}
