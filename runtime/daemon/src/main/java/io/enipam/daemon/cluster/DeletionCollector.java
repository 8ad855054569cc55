package io.enipam.daemon.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Has garbage collected soon after a pod with a lease is over. A runtime's DEL comes before the pod goes from the API server, as a
 * rule, so there is nothing to do; what is left then is a pod whose DEL never comes.
 *
 * <p>A pod may be deleted while its ADD is under way, which then ends with a lease of nobody's: so each pod that is over is looked for
 * again when such an ADD is over, too.
 *
 * <p>Deletions that come together become one collection; while one runs, the next waits for its end. What a collection cannot do,
 * since the API server does not answer or the engine does not serve yet, is tried again, ever more seldom up to the usual interval of
 * collections, which sees to it in the end. Thread-safe; {@code this} guards all fields.
 */
final class DeletionCollector {
    /** Long enough for the DEL that is on its way, short enough for whoever waits for the address. */
    static final Duration SOON = Duration.ofSeconds(2);

    /** When an ADD that was under way has its lease: as a rule, and at the latest. */
    private static final List<Duration> AGAIN = List.of(Duration.ofSeconds(5), Duration.ofSeconds(35));

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Supplier<IpamEngine> engine;
    private final Scheduler scheduler;

    @GuardedBy("this")
    private boolean due;

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private Duration pause = SOON;

    DeletionCollector(Supplier<IpamEngine> engine, Scheduler scheduler) {
        this.engine = engine;
        this.scheduler = scheduler;
    }

    /** A pod is over. Returns at once. */
    void over(PodRef pod) {
        look(pod);
        AGAIN.forEach(later -> scheduler.after(later, () -> look(pod)));
    }

    private void look(PodRef pod) {
        if (!engine.get().leasesOf(pod).isEmpty()) {
            wanted();
        }
    }

    private synchronized void wanted() {
        if (!due) {
            due = true;
            if (!running) {
                scheduler.after(pause, this::collect);
            }
        }
    }

    private void collect() {
        synchronized (this) {
            due = false;
            running = true;
        }
        engine.get().collect(false).whenComplete((report, error) -> {
            boolean done = error == null && report.problems().isEmpty();
            synchronized (this) {
                running = false;
                pause = done ? SOON : longer(pause);
                if (due || !done) {
                    due = true;
                    scheduler.after(pause, this::collect);
                }
            }
        });
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    }
}
