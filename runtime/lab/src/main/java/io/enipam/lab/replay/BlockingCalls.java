package io.enipam.lab.replay;

import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.simulation.VirtualTime;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs code that blocks, as the client of the cloud does, in virtual time. Each task has a thread, for the sake of its stack alone:
 * exactly one thread of a simulation runs at any moment, and which one follows from {@link VirtualTime}. A task that sleeps gives the
 * turn back to the thread that lets time pass, and gets it again when its time has come. So a run depends on the order of the tasks,
 * never on the machine.
 *
 * <p>The turn is passed by two semaphores of each thread, which also publish what the one wrote to the other: nothing else needs a lock.
 */
final class BlockingCalls extends AbstractExecutorService implements Sleeper, CloudTime {
    private static final ThreadFactory THREADS = DaemonThreads.numbered("lab-call");

    private final VirtualTime time;
    private final Threads threads;
    private final List<Turns> asleep = new ArrayList<>();
    private boolean closed;

    /** @param threads that this has in common with other nodes of the simulation */
    BlockingCalls(VirtualTime time, Threads threads) {
        this.time = time;
        this.threads = threads;
    }

    /** The threads of one simulation: as many as there ever were calls under way. */
    static final class Threads implements AutoCloseable {
        private final Deque<Turns> idle = new ArrayDeque<>();
        private final ThreadLocal<Turns> mine = new ThreadLocal<>();

        /** Ends those that have no task; those that have one are the calls' to end. */
        @Override
        public void close() {
            idle.forEach(turns -> turns.its.release());
            idle.clear();
        }
    }

    /** A thread, and whose turn it is. */
    private static final class Turns {
        private final Threads pool;
        private final Semaphore its = new Semaphore(0);
        private final Semaphore caller = new Semaphore(0);
        private @Nullable Runnable work;
        private @Nullable Throwable failure;

        Turns(Threads pool) {
            this.pool = pool;
            THREADS.newThread(this::live).start();
        }

        private void live() {
            pool.mine.set(this);
            its.acquireUninterruptibly();
            for (Runnable next = work; next != null; next = work) {
                try {
                    next.run();
                } catch (Throwable bug) {
                    failure = bug;
                }
                work = null;
                pool.idle.push(this);
                caller.release();
                its.acquireUninterruptibly();
            }
        }

        /** On the thread that lets time pass: returns when the task sleeps or has ended. */
        void run() {
            its.release();
            caller.acquireUninterruptibly();
            Throwable bug = failure;
            failure = null;
            if (bug != null) {
                throw new IllegalStateException("a call of the simulation failed", bug);
            }
        }

        /** On its own thread. */
        void giveBack() {
            caller.release();
            its.acquireUninterruptibly();
        }
    }

    /** Begins the task at this moment of virtual time, after what is due before it. */
    @Override
    public void execute(Runnable task) {
        time.execute(() -> {
            Turns turns = threads.idle.isEmpty() ? new Turns(threads) : threads.idle.pop();
            turns.work = task;
            turns.run();
        });
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        Turns turns = threads.mine.get();
        if (turns == null) {
            throw new IllegalStateException("only a task of this executor can sleep");
        }
        if (closed) {
            throw new InterruptedException("the simulation is over");
        }
        asleep.add(turns);
        time.after(duration, () -> {
            asleep.remove(turns);
            turns.run();
        });
        turns.giveBack();
        if (closed) {
            throw new InterruptedException("the simulation is over");
        }
    }

    @Override
    public Instant instant() {
        return time.now();
    }

    @Override
    public void pause(Duration duration) {
        if (duration.isZero()) {
            return;
        }
        try {
            sleep(duration);
        } catch (InterruptedException over) {
            throw new UncheckedIOException(new InterruptedIOException("the simulation is over"));
        }
    }

    /** Ends all tasks, each where it sleeps. Called when no more time passes. */
    @Override
    public void shutdown() {
        closed = true;
        while (!asleep.isEmpty()) {
            Turns turns = asleep.remove(asleep.size() - 1);
            turns.run();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return closed;
    }

    @Override
    public boolean isTerminated() {
        return closed;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return closed;
    }
}
