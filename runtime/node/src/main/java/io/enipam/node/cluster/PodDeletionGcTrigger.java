package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Triggers garbage collection soon after a pod with a lease, or a grant of an allocator, is gone. Usually the runtime's DEL comes before the pod's
 * deletion from the API server, and nothing is left; this handles pods whose DEL never comes.
 *
 * <p>A pod may be deleted during its ADD, which then leaves an orphan: therefore each such pod is checked again after
 * the ADD.
 *
 * <p>Concurrent deletions share one collection; while one runs, the next waits for its end. What a collection cannot
 * do, because the API server does not answer or a pod cannot be disconnected, is retried with growing pauses up to the
 * usual interval of collections, which handles it in the end. A new deletion does not wait for such a retry. While the
 * engine does not serve yet, a check is cheap and runs every few seconds. Thread-safe; {@code this} guards all fields.
 */
final class PodDeletionGcTrigger {
    /** Long enough for a DEL in progress, short enough for a pod that waits for the address. */
    static final Duration SOON = Duration.ofSeconds(2);

    /** When an ADD in progress has its lease: usually, and at the latest. */
    private static final List<Duration> AGAIN = List.of(Duration.ofSeconds(5), Duration.ofSeconds(35));

    private static final Backoff BACKOFF = Backoff.doubling(SOON.multipliedBy(2), Duration.ofMinutes(2));

    private static final Duration UNTIL_IT_SERVES = Duration.ofSeconds(8);

    private final Supplier<IpamEngine> engine;
    private final Scheduler scheduler;

    /** A gone pod that no collection has handled yet. */
    @GuardedBy("this")
    private boolean due;

    @GuardedBy("this")
    private boolean running;

    /** A collection left something undone. */
    @GuardedBy("this")
    private boolean failed;

    /** A retry is scheduled. */
    @GuardedBy("this")
    private boolean again;

    @GuardedBy("this")
    private int failures;

    PodDeletionGcTrigger(Supplier<IpamEngine> engine, Scheduler scheduler) {
        this.engine = engine;
        this.scheduler = scheduler;
    }

    /** A pod is gone, or an ADD could not look it up: a collection corrects its lease. Returns at once. */
    void podDeleted(PodRef pod) {
        look(pod);
        AGAIN.forEach(later -> scheduler.after(later, () -> look(pod)));
    }

    /** A pod as it is at the API server. The collection records its UID in a lease of its address that has none. */
    void podSeen(Pod pod) {
        boolean unidentified = engine.get().leasesOf(pod.ref()).stream()
                .filter(lease -> lease.podUid().isEmpty())
                .flatMap(lease -> lease.resource().addresses().stream())
                .anyMatch(address -> pod.addresses().contains(address.ip()));
        if (unidentified) {
            wanted();
        }
    }

    private void look(PodRef pod) {
        if (engine.get().isServed(pod)) {
            wanted();
        }
    }

    private synchronized void wanted() {
        if (!due) {
            due = true;
            if (!running) {
                scheduler.after(SOON, () -> collect(false));
            }
        }
    }

    private void collect(boolean retry) {
        synchronized (this) {
            again = again && !retry;
            if (running || !(retry ? failed : due)) {
                return;
            }
            running = true;
            due = false;
        }
        engine.get().collect(false).whenComplete((report, error) -> {
            synchronized (this) {
                running = false;
                failed = error != null || !report.problems().isEmpty();
                if (!failed) {
                    failures = 0;
                } else if (!again) {
                    again = true;
                    failures++;
                    scheduler.after(error != null ? UNTIL_IT_SERVES : BACKOFF.pause(failures), () -> collect(true));
                }
                if (due) {
                    scheduler.after(SOON, () -> collect(false));
                }
            }
        });
    }
}
