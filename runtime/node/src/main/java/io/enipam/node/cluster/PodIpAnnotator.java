package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.kubernetes.pods.PodIpsAnnotator;
import io.enipam.kubernetes.pods.PodIpsAnnotator.Outcome;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the addresses of pods to the pods: right after an ADD, which does not wait for it, and otherwise where leases
 * and watch differ, so that missed writes are made up for and present values are not written again.
 *
 * <p>One request at a time, and at most {@link #MOST} pods wait; the next check adds those that exceed the queue.
 * Failures are retried: with growing pauses while the API server does not answer, a few times only after a
 * conflict, and with growing pauses of its own for a pod whose change is not admitted. A pod that failed comes after
 * those that wait. A pod that is gone is dropped, and a successor of the same name with another UID never gets its
 * predecessor's value. Thread-safe; {@code this} guards the fields.
 */
final class PodIpAnnotator {
    /** The most pods that wait; four times what the largest node runs. */
    static final int MOST = 1_024;

    static final int CONFLICTS = 5;

    /** The pause after the API server has denied changes of pods. */
    static final Duration FORBIDDEN = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(PodIpAnnotator.class);
    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(5));

    private final IpamEngine engine;
    private final PodIpsAnnotator addresses;
    private final Supplier<Optional<List<WatchedPod>>> watched;
    private final TimeSource time;
    private final EventSink events;
    private final RandomGenerator random;

    /** By UID, in order. */
    @GuardedBy("this")
    private final Map<String, PendingPatch> waiting = new LinkedHashMap<>();

    /** By UID: written, or given up. */
    @GuardedBy("this")
    private final Map<String, String> done = new HashMap<>();

    /** No try before this time, in nanoseconds of the monotonic clock. */
    @GuardedBy("this")
    private long notBefore;

    @GuardedBy("this")
    private int failures;

    @GuardedBy("this")
    private boolean writing;

    @GuardedBy("this")
    private boolean complained;

    private record PendingPatch(PodRef pod, String uid, String text, int refusals, long notBefore) {
        /** The delay after a refusal: it doubles each time, and no other pod waits for it. */
        private PendingPatch later(long nanos) {
            return new PendingPatch(
                    pod,
                    uid,
                    text,
                    refusals + 1,
                    nanos + BACKOFF.pause(refusals + 1).toNanos());
        }
    }

    /** @param watched the node's pods; empty until they are known */
    PodIpAnnotator(
            IpamEngine engine,
            PodIpsAnnotator addresses,
            Supplier<Optional<List<WatchedPod>>> watched,
            TimeSource time,
            EventSink events,
            RandomGenerator random) {
        this.engine = engine;
        this.addresses = addresses;
        this.watched = watched;
        this.time = time;
        this.events = events;
        this.random = random;
        notBefore = time.nanoTime();
    }

    /** A pod has a lease. Returns at once. */
    void granted(PodRef pod) {
        List<Lease> leases = engine.leasesOf(pod);
        leases.stream()
                .map(Lease::podUid)
                .distinct()
                .forEach(uid -> want(
                        pod,
                        uid,
                        text(leases.stream().filter(lease -> lease.podUid().equals(uid)))));
        next();
    }

    /** Finds missed writes; called every few seconds. Returns at once. */
    void sync() {
        watched.get().ifPresent(this::compare);
        next();
    }

    private void compare(List<WatchedPod> pods) {
        Set<String> here = new HashSet<>();
        for (WatchedPod known : pods) {
            String text = text(engine.leasesOf(known.pod().ref()).stream().filter(lease -> isOf(lease, known.pod())));
            here.add(known.pod().uid());
            if (text.isEmpty() || known.noted().equals(text)) {
                forget(known.pod().uid());
            } else {
                want(known.pod().ref(), known.pod().uid(), text);
            }
        }
        synchronized (this) {
            // a pod that is done and not in the list is gone, or not seen yet: at worst the patch is repeated
            done.keySet().retainAll(here);
        }
    }

    /** An ADD may not have learnt the UID; the pod's address identifies it as well. */
    private static boolean isOf(Lease lease, Pod pod) {
        return lease.podUid().isEmpty()
                ? lease.resource().addresses().stream()
                        .anyMatch(address -> pod.addresses().contains(address.ip()))
                : lease.podUid().equals(pod.uid());
    }

    private synchronized void want(PodRef pod, String uid, String text) {
        if (uid.isEmpty() || text.isEmpty() || text.equals(done.get(uid))) {
            return;
        }
        PendingPatch known = waiting.get(uid);
        if (known == null ? waiting.size() < MOST : !known.text().equals(text)) {
            waiting.put(uid, new PendingPatch(pod, uid, text, 0, time.nanoTime()));
        }
    }

    private synchronized void forget(String uid) {
        if (!writing) {
            waiting.remove(uid);
        }
    }

    /** As in terway: IPv4 first. */
    private static String text(Stream<Lease> leases) {
        return leases.flatMap(lease -> lease.resource().addresses().stream())
                .sorted(Comparator.comparing(Address::family))
                .map(Address::host)
                .distinct()
                .collect(Collectors.joining(","));
    }

    private void next() {
        PendingPatch note;
        synchronized (this) {
            long now = time.nanoTime();
            Optional<PendingPatch> due = writing || now - notBefore < 0
                    ? Optional.empty()
                    : waiting.values().stream()
                            .filter(each -> now - each.notBefore() >= 0)
                            .findFirst();
            if (due.isEmpty()) {
                return;
            }
            writing = true;
            note = due.get();
        }
        addresses.write(note.pod(), note.uid(), note.text()).whenComplete((outcome, error) -> {
            if (error == null) {
                answered(note, outcome);
            } else {
                unanswered(note, error);
            }
            next();
        });
    }

    private void answered(PendingPatch note, Outcome outcome) {
        boolean news = false;
        synchronized (this) {
            writing = false;
            switch (outcome) {
                case WRITTEN, GONE -> {
                    failures = 0;
                    complained = false;
                    over(note);
                }
                case CONFLICT -> {
                    failures = 0;
                    if (note.refusals() < CONFLICTS) {
                        waiting.replace(note.uid(), note, note.later(time.nanoTime()));
                    } else {
                        over(note);
                    }
                }
                case NOT_ADMITTED -> {
                    failures = 0;
                    waiting.replace(note.uid(), note, note.later(time.nanoTime()));
                }
                case FORBIDDEN -> {
                    news = !complained;
                    complained = true;
                    notBefore = time.nanoTime() + FORBIDDEN.toNanos();
                }
            }
        }
        if (news) {
            events.warning(
                    "PodsNotOurs",
                    "pods",
                    "the addresses of pods cannot be written to them: the API server does not let this daemon patch pods;"
                            + " apply runtime/deploy/kustomize/components/pod-ips, or set enable_patch_pod_ips to false");
        }
    }

    private synchronized void unanswered(PendingPatch note, Throwable error) {
        writing = false;
        failures++;
        Duration rest = BACKOFF.spread(0.2).pause(failures, random);
        notBefore = time.nanoTime() + rest.toNanos();
        // it may be this pod alone, whose webhook hangs
        if (waiting.remove(note.uid(), note)) {
            waiting.put(note.uid(), note);
        }
        LOG.debug("the address of pod {} is not written yet, the next try is in {}", note.pod(), rest, error);
    }

    @GuardedBy("this")
    private void over(PendingPatch note) {
        // unless the text has changed meanwhile
        if (waiting.remove(note.uid(), note)) {
            done.put(note.uid(), note.text());
        }
    }

    synchronized int waiting() {
        return waiting.size();
    }
}
