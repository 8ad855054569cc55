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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs code that blocks, as the client of the cloud does, in virtual time. Each task has a thread, for the sake of its stack alone:
 * exactly one thread of a simulation runs at any moment, and which one follows from {@link VirtualTime}. So a run depends on the order of
 * the tasks, never on the machine.
 *
 * <p>To pass the turn to another thread costs more than most tasks. So the simulation's steps have no thread of their own: a thread whose
 * task sleeps runs them itself, until one of them is the end of its sleep, which costs nothing, or of another's, which gets the turn. A
 * thread that has no task runs steps until one of them is a task for it.
 *
 * <p>The turn is passed by a semaphore of each thread, which also publishes what the one wrote to the other: nothing else needs a lock.
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
        /** The thread that drives the simulation. */
        private final Turns driver = new Turns();

        private BooleanSupplier step = () -> false;
        private boolean stepping;
        /** Whose turn it is when the step ends; null for the one that runs. */
        private @Nullable Turns next;

        private @Nullable Throwable failure;

        /**
         * Runs steps, on whichever thread, until one says that there is nothing left to do. Called by one thread, which is none of these.
         *
         * @throws IllegalStateException with what a step or a task has thrown
         */
        void drive(BooleanSupplier steps) {
            step = steps;
            runSteps(driver);
            Throwable bug = failure;
            failure = null;
            if (bug != null) {
                throw new IllegalStateException("a step of the simulation failed", bug);
            }
        }

        /** On that one's thread: returns when it is its turn again. */
        private void runSteps(Turns self) {
            while (next != self) {
                Turns other = next;
                if (other != null) {
                    next = null;
                    other.its.release();
                    self.its.acquireUninterruptibly();
                    return;
                }
                stepping = true;
                try {
                    if (!step.getAsBoolean()) {
                        next = driver;
                    }
                } catch (Throwable bug) {
                    fail(bug);
                }
                stepping = false;
            }
            next = null;
        }

        private void fail(Throwable bug) {
            failure = bug;
            next = driver;
        }

        /** Gives the task the next turn: on this thread, if that has none. */
        private void begin(Runnable task) {
            Turns here = mine.get();
            Turns chosen;
            if (here != null && idle.remove(here)) {
                chosen = here;
            } else if (!idle.isEmpty()) {
                chosen = idle.pop();
            } else {
                chosen = new Turns();
                Turns fresh = chosen;
                THREADS.newThread(() -> live(fresh)).start();
            }
            chosen.work = task;
            next = chosen;
        }

        private void live(Turns self) {
            mine.set(self);
            self.its.acquireUninterruptibly();
            for (Runnable task = self.work; task != null; task = self.work) {
                self.work = null;
                try {
                    task.run();
                } catch (Throwable bug) {
                    fail(bug);
                }
                idle.push(self);
                runSteps(self);
            }
        }

        /** Ends those that have no task; those that have one are the calls' to end. */
        @Override
        public void close() {
            idle.forEach(turns -> turns.its.release());
            idle.clear();
        }
    }

    /** What a thread waits by for its turn, and its task. */
    private static final class Turns {
        private final Semaphore its = new Semaphore(0);
        private @Nullable Runnable work;
    }

    /** Begins the task at this moment of virtual time, after what is due before it. */
    @Override
    public void execute(Runnable task) {
        time.execute(() -> threads.begin(task));
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        Turns turns = threads.mine.get();
        if (turns == null || threads.stepping) {
            throw new IllegalStateException("only a task of this executor can sleep");
        }
        if (closed) {
            throw new InterruptedException("the simulation is over");
        }
        asleep.add(turns);
        time.after(duration, () -> {
            asleep.remove(turns);
            threads.next = turns;
        });
        threads.runSteps(turns);
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

    /** Ends all tasks, each where it sleeps. Called by the thread that drives, when no more time passes. */
    @Override
    public void shutdown() {
        closed = true;
        while (!asleep.isEmpty()) {
            threads.next = asleep.remove(asleep.size() - 1);
            threads.drive(() -> false);
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
