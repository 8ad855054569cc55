package io.enipam.daemon.warmup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EnginePorts;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.sdk.PoolPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the JVM load and compile the code of ADD and DEL before the first pod comes: bursts of pods come and go on an
 * {@link InMemoryNode}. Thread-safe.
 *
 * <p>It works for half of the time at most, since it pauses for as long as a burst took, and for {@link Budget#work()} in all.
 * The JIT's own threads come on top of that: they compile what is called often, whoever calls it. It ends before its budget
 * with the first call for a pod of this node, whose time is worth more. What it has opened is closed later then, when the
 * burst that began is likely to be over.
 *
 * <p>If no call has come by its end, it has the JVM collect all garbage, which gives back the memory that only the start needed:
 * some 10 MiB, for a pause of some 50 ms in which no pod waits.
 *
 * <p>A failure is logged and has no other consequence.
 */
public final class JitWarmUp implements AutoCloseable {
    static final String THREAD = "jit-warm-up";

    private static final Logger LOG = LoggerFactory.getLogger(JitWarmUp.class);
    private static final Duration BURST = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Callable<InMemoryNode> opening;
    private final BooleanSupplier called;
    private final Budget budget;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    @GuardedBy("this")
    private boolean begun;

    /**
     * The most that it does.
     *
     * @param bursts of {@link InMemoryNode#PODS} pods that come and go
     * @param work time in which a burst was under way
     */
    record Budget(int bursts, Duration work) {
        /**
         * The JIT's first tier takes what was called 200 times (Tier3InvocationThreshold), and later what it has many others to compile
         * before: three times as many calls.
         */
        static final Budget USUAL = new Budget(60, Duration.ofSeconds(3));
    }

    /**
     * A warm-up of these shipped parts.
     *
     * @param node what the datapath knows of the node
     * @param directory for the files of a moment: exists, and is emptied by the next start
     * @param called whether a call for a pod of this node has come: the warm-up ends then
     */
    public static JitWarmUp of(
            BiFunction<EngineConfig, EnginePorts, IpamEngine> engine,
            Supplier<PoolPolicy> policy,
            NodeNetwork node,
            Path directory,
            BooleanSupplier called) {
        return new JitWarmUp(() -> new InMemoryNode(engine, policy.get(), node, directory), called, Budget.USUAL);
    }

    /**
     * @param opening opens the node, on the warm-up's thread
     * @param called whether a call for a pod of this node has come: the warm-up ends then
     */
    JitWarmUp(Callable<InMemoryNode> opening, BooleanSupplier called, Budget budget) {
        this.opening = opening;
        this.called = called;
        this.budget = budget;
    }

    /** Begins, unless it has begun or was closed before; returns at once. */
    public synchronized void begin() {
        if (!begun && closing.getCount() > 0) {
            begun = true;
            DaemonThreads.named(THREAD).newThread(this::run).start();
        }
    }

    private void run() {
        try {
            boolean quiet;
            try (InMemoryNode node = opening.call()) {
                warmUp(node);
                quiet = !called.getAsBoolean();
                if (!quiet) {
                    pause(BURST.toNanos());
                }
            }
            if (quiet && closing.getCount() > 0) {
                System.gc();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception | LinkageError e) {
            LOG.warn("ADD and DEL could not be warmed up, so the first pods wait longer", e);
        } finally {
            ended.countDown();
        }
    }

    private void warmUp(InMemoryNode node) throws IOException, InterruptedException {
        long worked = 0;
        for (int bursts = 0;
                isWanted() && bursts < budget.bursts() && worked < budget.work().toNanos();
                bursts++) {
            long from = System.nanoTime();
            node.burst();
            long took = System.nanoTime() - from;
            worked += took;
            pause(took);
        }
    }

    private boolean isWanted() {
        return closing.getCount() > 0 && !called.getAsBoolean();
    }

    /** Returns early when it is closed. */
    private void pause(long nanos) throws InterruptedException {
        closing.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Ends it; waits until all that it has opened is closed, 10 s at most. */
    @Override
    public void close() throws InterruptedException {
        boolean running;
        synchronized (this) {
            closing.countDown();
            running = begun;
        }
        if (running && !ended.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            LOG.warn("the warm-up of ADD and DEL has not ended after {} s; closing without it", PATIENCE.toSeconds());
        }
    }
}
