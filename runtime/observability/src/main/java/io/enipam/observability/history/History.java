package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.observability.history.Sample.ProcessGauge;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last {@value #SIZE} samples, one every five seconds: an hour. Thread-safe; {@code this} guards the ring.
 *
 * <p>A thread of its own takes the samples, so that neither a slow plugin nor a blocked cloud causes a gap. A late
 * sample has a longer interval, which it states.
 */
public final class History implements AutoCloseable {
    public static final int SIZE = 720;

    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(History.class);

    private final Meters meters;
    private final Supplier<PoolSummary> pool;
    private final Supplier<EngineStatus> status;
    private final ScheduledExecutorService thread;

    @GuardedBy("this")
    private final Deque<Sample> ring = new ArrayDeque<>(SIZE);

    /** An empty history, which takes no samples before {@link #begin()}. */
    public History(Meters meters, Supplier<PoolSummary> pool, Supplier<EngineStatus> status) {
        this.meters = meters;
        this.pool = pool;
        this.status = status;
        this.thread = Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("history"));
    }

    /** Starts to take a sample every five seconds. */
    public void begin() {
        // never at a fixed rate: after a pause of the process it would catch up on all missed samples and flood the
        // ring
        thread.scheduleWithFixedDelay(
                this::sampleOrLog, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void sampleOrLog() {
        try {
            sample();
        } catch (RuntimeException | Error e) {
            // an exception thrown here would end the timer
            LOG.warn("no sample could be taken; the next one covers its time", e);
        }
    }

    /** Ends the running interval and keeps its sample. */
    public void sample() {
        Sample sample = meters.sample(pool.get(), status.get(), ProcessGauge.read());
        synchronized (this) {
            if (ring.size() == SIZE) {
                ring.removeFirst();
            }
            ring.addLast(sample);
        }
    }

    public synchronized List<Sample> samples() {
        return List.copyOf(ring);
    }

    public Meters meters() {
        return meters;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
