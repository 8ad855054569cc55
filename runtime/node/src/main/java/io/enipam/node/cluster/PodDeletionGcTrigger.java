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
 * Has garbage collected soon after a pod with a lease is over. A runtime's DEL comes before the pod goes from the API server, as a
 * rule, so there is nothing to do; what is left then is a pod whose DEL never comes.
 *
 * <p>A pod may be deleted while its ADD is under way, which then ends with a lease of nobody's: so each pod that is over is looked for
 * again when such an ADD is over, too.
 *
 * <p>Deletions that come together become one collection; while one runs, the next waits for its end. What a collection cannot do,
 * since the API server does not answer or a pod cannot be disconnected, is tried again, ever more seldom up to the usual interval of
 * collections, which sees to it in the end. A deletion that comes meanwhile does not wait for that. An engine that does not serve yet
 * costs nobody anything to ask, and is asked every few seconds. Thread-safe; {@code this} guards all fields.
 */
final class PodDeletionGcTrigger {
    /** Long enough for the DEL that is on its way, short enough for whoever waits for the address. */
    static final Duration SOON = Duration.ofSeconds(2);

    /** When an ADD that was under way has its lease: as a rule, and at the latest. */
    private static final List<Duration> AGAIN = List.of(Duration.ofSeconds(5), Duration.ofSeconds(35));

    private static final Backoff BACKOFF = Backoff.doubling(SOON.multipliedBy(2), Duration.ofMinutes(2));

    private final Supplier<IpamEngine> engine;
    private final Scheduler scheduler;

    private static final Duration UNTIL_IT_SERVES = Duration.ofSeconds(8);

    /** A pod is over that no collection has seen to. */
    @GuardedBy("this")
    private boolean due;

    @GuardedBy("this")
    private boolean running;

    /** Something is left of what was tried. */
    @GuardedBy("this")
    private boolean failed;

    /** It will be tried again. */
    @GuardedBy("this")
    private boolean again;

    @GuardedBy("this")
    private int failures;

    PodDeletionGcTrigger(Supplier<IpamEngine> engine, Scheduler scheduler) {
        this.engine = engine;
        this.scheduler = scheduler;
    }

    /** A pod is over. Returns at once. */
    void podDeleted(PodRef pod) {
        look(pod);
        AGAIN.forEach(later -> scheduler.after(later, () -> look(pod)));
    }

    /**
     * A pod is as the API server has it now. If a lease has its address and no UID, the collection learns the UID.
     */
    void podSeen(Pod pod) {
        boolean unidentified = engine.get().leasesOf(pod.ref()).stream()
                .filter(lease -> lease.podUid().isEmpty())
                .flatMap(lease -> lease.resource().addresses().stream())
                .anyMatch(address -> pod.addresses().contains(address.ip()));
        if (unidentified) {
            wanted();
        }
    }

    /** A pod could not be looked up for an ADD: collections bring its lease in line with it, until one is answered. */
    void unanswered(PodRef pod) {
        podDeleted(pod);
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
                scheduler.after(SOON, this::collectDue);
            }
        }
    }

    private void collectDue() {
        synchronized (this) {
            if (running || !due) {
                return;
            }
            running = true;
        }
        collect();
    }

    private void collectAgain() {
        synchronized (this) {
            again = false;
            if (running || !failed) {
                return;
            }
            running = true;
        }
        collect();
    }

    private void collect() {
        synchronized (this) {
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
                    scheduler.after(error != null ? UNTIL_IT_SERVES : BACKOFF.pause(failures), this::collectAgain);
                }
                if (due) {
                    scheduler.after(SOON, this::collectDue);
                }
            }
        });
    }
}
