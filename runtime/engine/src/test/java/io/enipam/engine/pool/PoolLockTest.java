package io.enipam.engine.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolLockTest {
    private static final int THREADS = 8;
    private static final int ROUNDS = 200_000;

    private final PoolLock lock = new PoolLock();
    private int entered;

    @Test
    void oneThreadAtATimeIsInsideAndSeesWhatTheLastOneWrote() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    lock.lock();
                    try {
                        entered++;
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(entered).isEqualTo(THREADS * ROUNDS);
    }

    @Test
    void itsOwnerMayTakeItAgainAndHasItUntilTheLastUnlock() throws InterruptedException {
        lock.lock();
        lock.lock();
        lock.unlock();
        Thread other = new Thread(() -> {
            lock.lock();
            entered++;
            lock.unlock();
        });
        other.start();
        while (other.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(entered).isZero();

        lock.unlock();
        other.join();
        assertThat(entered).isEqualTo(1);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsGetsTheLockAndIsInterruptedAfterwards() throws InterruptedException {
        lock.lock();
        boolean[] interrupted = new boolean[1];
        Thread other = new Thread(() -> {
            lock.lock();
            interrupted[0] = Thread.currentThread().isInterrupted();
            lock.unlock();
        });
        other.start();
        other.interrupt();
        while (other.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        lock.unlock();
        other.join();

        assertThat(interrupted[0]).isTrue();
    }
}
