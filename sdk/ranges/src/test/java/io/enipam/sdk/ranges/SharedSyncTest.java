package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedSyncTest {
    private static final int OTHERS = 7;

    private final AtomicInteger syncs = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** The first fsync takes until it is allowed to end; what comes of the later ones is said. */
    private SharedSync slowAtFirst(SharedSync.Disk later) {
        return new SharedSync(() -> {
            if (syncs.incrementAndGet() > 1) {
                later.sync();
                return;
            }
            begun.countDown();
            try {
                assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new ClosedByInterruptException();
            }
        });
    }

    private record Caller(Thread thread, FutureTask<Boolean> task) {
        static Caller of(SharedSync sync) {
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                sync.await();
                return true;
            });
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
            return new Caller(thread, task);
        }

        boolean served() throws Exception {
            return task.get(60, TimeUnit.SECONDS);
        }
    }

    /** Callers that came while the first one's fsync runs, and wait. */
    private List<Caller> others(SharedSync sync) throws Exception {
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        List<Caller> others = new ArrayList<>();
        for (int i = 0; i < OTHERS; i++) {
            others.add(Caller.of(sync));
        }
        for (Caller other : others) {
            for (int look = 0; look < 6000 && other.thread().getState() != Thread.State.WAITING; look++) {
                Thread.sleep(10);
            }
        }
        return others;
    }

    @Test
    void callersThatComeWhileOneSyncRunsShareTheNextOne() throws Exception {
        SharedSync sync = slowAtFirst(() -> {});
        Caller first = Caller.of(sync);
        List<Caller> others = others(sync);

        assertThat(others).noneMatch(other -> other.task().isDone());
        goOn.countDown();

        assertThat(first.served()).isTrue();
        for (Caller other : others) {
            assertThat(other.served()).isTrue();
        }
        assertThat(syncs).hasValue(2);
    }

    @Test
    void aSyncThatFailsFailsForAllThatItWasFor() throws Exception {
        SharedSync sync = slowAtFirst(() -> {
            if (syncs.get() == 2) {
                throw new IOException("no space");
            }
        });
        Caller first = Caller.of(sync);
        List<Caller> others = others(sync);
        goOn.countDown();

        assertThat(first.served()).isTrue();
        for (Caller other : others) {
            assertThatThrownBy(other::served).hasRootCauseMessage("no space");
        }
        sync.await();
        assertThat(syncs).hasValue(3);
    }

    @Test
    void anInterruptOfTheOneThatRunsItFailsNoOther() throws Exception {
        SharedSync sync = slowAtFirst(() -> {});
        Caller first = Caller.of(sync);
        List<Caller> others = others(sync);
        first.thread().interrupt();

        assertThatThrownBy(first::served).hasRootCauseInstanceOf(ClosedByInterruptException.class);
        for (Caller other : others) {
            assertThat(other.served()).isTrue();
        }
    }
}
