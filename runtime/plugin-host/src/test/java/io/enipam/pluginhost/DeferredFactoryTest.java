package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.pluginhost.ActiveSelection.DeferredFactory;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeferredFactoryTest {
    private final VirtualTime time = new VirtualTime();
    private final AtomicBoolean broken = new AtomicBoolean(true);
    private final AtomicInteger closed = new AtomicInteger();
    private final DeferredFactory factory = new DeferredFactory("cidr", this::open, Runnable::run);

    private NamedFactory open() {
        if (broken.get()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "ranges is empty");
        }
        return new NamedFactory("cidr", new FactoryHandle(MemoryFactory.instant(time, 4), closed::incrementAndGet));
    }

    @Test
    void aFactoryThatCannotBeOpenedAnswersInItsPlaceAndSaysWhy() {
        assertThat(factory.tryOpen()).isEmpty();

        assertThat(factory.trouble()).contains("factory cidr: ranges is empty");
        assertThat(factory.kind().name()).isEqualTo("unknown");
        assertThat(factory.capabilities().capacity()).isZero();
        assertThat(factory.create(List.of(request()))
                        .get(0)
                        .toCompletableFuture()
                        .join())
                .isInstanceOfSatisfying(Failed.class, failed -> {
                    assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE);
                    assertThat(failed.message()).contains("ranges is empty");
                });
        assertThatThrownBy(() -> factory.list().toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasRootCauseMessage("ranges is empty");
    }

    @Test
    void listingOpensItOnceItCanBeOpened() {
        factory.tryOpen();
        broken.set(false);

        var listed = factory.list();
        time.settle();

        assertThat(listed.toCompletableFuture().join()).isEmpty();
        assertThat(factory.trouble()).isEmpty();
        assertThat(factory.capabilities().capacity()).isEqualTo(4);
        assertThat(factory.kind().name()).isEqualTo("eni-ip");
    }

    @Test
    void oneThatIsClosedIsNotOpenedAgain() {
        broken.set(false);
        factory.tryOpen();
        factory.close();

        assertThat(closed).hasValue(1);
        assertThat(factory.tryOpen()).isEmpty();
        assertThat(factory.trouble()).isEmpty();
    }

    private CreateRequest request() {
        return new CreateRequest(new RequestToken("t"), Set.of(Family.IPV4), Instant.EPOCH);
    }
}
