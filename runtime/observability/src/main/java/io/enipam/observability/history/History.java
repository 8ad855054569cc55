package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.pool.PoolView;
import io.enipam.observability.history.Sample.PoolGauge;
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
 * The last samples, {@value #SIZE} of them, one every five seconds: an hour. Thread-safe; {@code this} guards the ring.
 *
 * <p>Samples are taken on a thread of its own, so that neither a slow plugin nor a blocked cloud leaves a hole. If one is
 * late all the same, its interval is longer, and says so.
 */
public final class History implements AutoCloseable {
    /** How many samples are kept. */
    public static final int SIZE = 720;

    /** How long an interval is. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(History.class);

    private final Meters meters;
    private final Supplier<PoolView> pool;
    private final Supplier<EngineStatus> status;
    private final ScheduledExecutorService thread;

    @GuardedBy("this")
    private final Deque<Sample> ring = new ArrayDeque<>(SIZE);

    /** An empty history, which takes no samples before {@link #begin()}. */
    public History(Meters meters, Supplier<PoolView> pool, Supplier<EngineStatus> status) {
        this.meters = meters;
        this.pool = pool;
        this.status = status;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "history");
            made.setDaemon(true);
            return made;
        });
    }

    /** Takes a sample every five seconds from now on. */
    public void begin() {
        // never at a fixed rate: after a pause of the process it would make up for every sample missed, and flood the
        // ring
        thread.scheduleWithFixedDelay(
                this::sampleOrLog, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void sampleOrLog() {
        try {
            sample();
        } catch (RuntimeException | Error e) {
            // whatever is thrown here ends the timer for good
            LOG.warn("no sample could be taken; the next one covers its time", e);
        }
    }

    /** Ends the running interval and keeps it. */
    public void sample() {
        Sample sample = meters.sample(PoolGauge.of(pool.get()), status.get(), ProcessGauge.read());
        synchronized (this) {
            if (ring.size() == SIZE) {
                ring.removeFirst();
            }
            ring.addLast(sample);
        }
    }

    /** What is kept, the oldest first. */
    public synchronized List<Sample> samples() {
        return List.copyOf(ring);
    }

    /** What the samples are taken from. */
    public Meters meters() {
        return meters;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
