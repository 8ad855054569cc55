package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.simulation.MemoryFactory;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.testing.TestThreads;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedFactoriesTest {
    private final VirtualTime time = new VirtualTime();
    private final AtomicInteger opened = new AtomicInteger();
    private final List<String> closed = new ArrayList<>();
    private final Map<String, SharedFactories.Opener> openers = new HashMap<>();

    @Test
    void aFactoryIsOpenedOnceForAllItsUsersAndClosedByTheLast() {
        SharedFactories factories = base("eni-ip");
        NamedFactory first = factories.open("eni-ip");
        NamedFactory second = factories.open("eni-ip");
        assertThat(opened).hasValue(1);

        first.factory().close();
        first.factory().close();
        assertThat(closed).isEmpty();
        second.factory().close();

        assertThat(closed).containsExactly("eni-ip");
        factories.open("eni-ip");
        assertThat(opened).hasValue(2);
    }

    @Test
    void aWrapperHasTheResourcesOfWhatItWraps() {
        openers.put("wrapper", chain -> {
            NamedFactory inner = factories().open("eni-ip", chain);
            return new SharedFactory.OpenedFactory(inner.factory(), inner.provider());
        });
        base("eni-ip");
        NamedFactory wrapper = factories().open("wrapper");

        assertThat(wrapper.name()).isEqualTo("wrapper");
        assertThat(wrapper.provider()).isEqualTo("eni-ip");
        assertThat(factories().open("eni-ip").provider()).isEqualTo("eni-ip");
    }

    @Test
    void factoriesThatWrapEachOtherAreRefusedWithTheCircle() {
        openers.put(
                "a",
                chain -> new SharedFactory.OpenedFactory(
                        factories().open("b", chain).factory(), "b"));
        openers.put(
                "b",
                chain -> new SharedFactory.OpenedFactory(
                        factories().open("a", chain).factory(), "a"));

        assertThatThrownBy(() -> factories().open("a"))
                .isInstanceOf(FactoryException.class)
                .hasMessage("factories wrap each other in a circle: a -> b -> a");
    }

    @Test
    void anUnknownNameIsToldWhatThereIs() {
        assertThatThrownBy(() -> base("eni-ip").open("eni-pi"))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessage("there is no factory 'eni-pi'; there is eni-ip");
    }

    @Test
    void oneThatCouldNotBeOpenedIsTriedAgainByTheNext() {
        AtomicBoolean broken = new AtomicBoolean(true);
        openers.put("moody", chain -> {
            if (broken.get()) {
                throw new FactoryException(ErrorKind.UNAVAILABLE, "not now");
            }
            return new SharedFactory.OpenedFactory(MemoryFactory.instant(time, 1), "moody");
        });
        assertThatThrownBy(() -> factories().open("moody")).hasMessage("not now");

        broken.set(false);

        assertThat(factories().open("moody").name()).isEqualTo("moody");
    }

    @Test
    void oneThatIsBeingOpenedIsWaitedForByTheOthers() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        openers.put("slow", chain -> {
            opened.incrementAndGet();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new SharedFactory.OpenedFactory(MemoryFactory.instant(time, 1), "slow");
        });
        SharedFactories factories = factories();
        List<CompletableFuture<NamedFactory>> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(CompletableFuture.supplyAsync(() -> factories.open("slow"), TestThreads.PER_TASK));
        }
        go.countDown();

        users.forEach(CompletableFuture::join);

        assertThat(opened).hasValue(1);
    }

    private SharedFactories shared;

    private SharedFactories factories() {
        if (shared == null) {
            shared = new SharedFactories(
                    name -> Optional.ofNullable(openers.get(name)), () -> new TreeSet<>(openers.keySet()), time);
        }
        return shared;
    }

    private SharedFactories base(String name) {
        openers.put(name, chain -> {
            opened.incrementAndGet();
            ResourceFactory base = MemoryFactory.instant(time, 3);
            return new SharedFactory.OpenedFactory(new FactoryHandle(base, () -> closed.add(name)), name);
        });
        return factories();
    }
}
