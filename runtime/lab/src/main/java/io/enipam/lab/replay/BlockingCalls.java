package io.enipam.lab.replay;

import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.lab.replay.FleetScheduler.CallThread;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs code of a node that blocks, as the client of the cloud does, in the node's virtual time. Each task has a thread, for the sake of
 * its stack alone: exactly one thread of the node runs at any moment, and which one follows from {@link VirtualTime}. So a run depends on
 * the order of the tasks, never on the machine. {@link FleetScheduler} has the threads.
 */
final class BlockingCalls extends AbstractExecutorService implements Sleeper, CloudTime {
    private final VirtualTime time;
    private final FleetScheduler scheduler;
    private final FleetScheduler.Node node;
    private final List<CallThread> waiting = new ArrayList<>();
    private boolean closed;

    /** @param node the one whose virtual time that is */
    BlockingCalls(VirtualTime time, FleetScheduler scheduler, FleetScheduler.Node node) {
        this.time = time;
        this.scheduler = scheduler;
        this.node = node;
    }

    /** Begins the task at this moment of virtual time, after what is due before it. */
    @Override
    public void execute(Runnable task) {
        time.execute(() -> scheduler.begin(node, task));
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        CallThread self = scheduler.current();
        requireOpen();
        waiting.add(self);
        time.after(duration, () -> {
            waiting.remove(self);
            scheduler.wake(node, self);
        });
        scheduler.sleep(self);
        requireOpen();
    }

    private void requireOpen() throws InterruptedException {
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
            throw ended();
        }
    }

    @Override
    public void awaitTurn() {
        CallThread self = scheduler.current();
        waiting.add(self);
        scheduler.awaitTurn(node, self);
        waiting.remove(self);
        if (closed) {
            throw ended();
        }
    }

    private static UncheckedIOException ended() {
        return new UncheckedIOException(new InterruptedIOException("the simulation is over"));
    }

    /** Ends all tasks, each where it waits. Called by the thread that drives, when no more time passes. */
    @Override
    public void shutdown() {
        closed = true;
        while (!waiting.isEmpty()) {
            scheduler.end(waiting.remove(waiting.size() - 1));
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
