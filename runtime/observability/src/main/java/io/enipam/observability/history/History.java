package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.Sample.ProcessGauge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last {@value #SIZE} samples, one every five seconds: an hour, also of a former run of the daemon. Thread-safe; {@code this} guards the ring.
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

    @GuardedBy("this")
    private Consumer<Sample> keep = sample -> {};

    @GuardedBy("this")
    private String restarted = "";

    /** An empty history, which takes no samples before {@link #begin()}. */
    public History(Meters meters, Supplier<PoolSummary> pool, Supplier<EngineStatus> status) {
        this.meters = meters;
        this.pool = pool;
        this.status = status;
        this.thread = DaemonThreads.repeating(
                1, "history", e -> LOG.warn("no sample could be taken; the next one covers its time", e));
    }

    /**
     * Goes on where a former run of the daemon ended, with its samples of the last hour; before {@link #begin}.
     *
     * @param former in the order of their numbers
     * @param ended how that run ended, {@code stop} or {@code crash}; empty text if there was none
     * @param sink gets each sample; it does not block
     */
    public synchronized void goOn(List<Sample> former, String ended, TimeSource time, Consumer<Sample> sink) {
        Instant now = time.now();
        long nanos = time.nanoTime();
        ring.addAll(former.stream()
                .skip(Math.max(0, former.size() - SIZE))
                .filter(sample -> !sample.at().isBefore(now.minus(INTERVAL.multipliedBy(SIZE))))
                .map(sample -> sample.seen(now, nanos))
                .toList());
        if (!former.isEmpty()) {
            meters.goOn(former.get(former.size() - 1).sequence());
        }
        restarted = ended;
        keep = sink;
    }

    /** Starts to take a sample every five seconds. */
    public void begin() {
        // never at a fixed rate: after a pause of the process it would catch up on all missed samples and flood the
        // ring
        thread.scheduleWithFixedDelay(this::sample, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends the running interval and keeps its sample. */
    public void sample() {
        Sample measured = meters.sample(pool.get(), status.get(), ProcessGauge.read());
        synchronized (this) {
            Sample sample = measured.restarted(restarted);
            restarted = "";
            keep.accept(sample);
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
