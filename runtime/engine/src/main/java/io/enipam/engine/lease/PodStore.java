package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Copies of the pods seen on this node. A copy is kept for an hour after its pod is gone (terway's rule), in the
 * database, so that its deadline outlives restarts.
 *
 * <p>A deadline is a date, and the date may jump. One that lies further ahead than an hour cannot be right: it was set
 * before a clock went back, and becomes an hour from now. A clock that jumps ahead ends copies early, which does no
 * harm: a copy is only what a node uses when no better source answers.
 *
 * <p>What is seen is in memory at once. On disk it comes with the lease that it was seen for, in the same commit, or
 * with the next {@link #purgeExpired}; the next commit repeats one that failed. A pod that looks as before is
 * written again after ten minutes at the earliest, so that looking costs no writes.
 *
 * <p>Bounded: beyond {@value #MOST} copies those go first whose pods are gone, the earliest deadline first, then those
 * not seen for the longest time. Thread-safe; {@code this} guards all fields.
 */
public final class PodStore {
    /** How long a copy is kept once its pod is gone. */
    public static final Duration KEPT = Duration.ofHours(1);

    /** Four times the pods that the largest node runs. */
    static final int MOST = 1024;

    private static final Duration FRESH = Duration.ofMinutes(10);

    private static final Comparator<PodCopy> FIRST_TO_GO = Comparator.comparing(
                    (PodCopy copy) -> copy.expires().orElse(Instant.MAX))
            .thenComparing(PodCopy::lastSeen);

    private final TimeSource time;
    private final ResourceDb db;
    private final Map<PodRef, PodCopy> copies = new HashMap<>();
    private final Set<PodRef> unwritten = new HashSet<>();

    public PodStore(TimeSource time, ResourceDb db) {
        this.time = time;
        this.db = db;
    }

    public synchronized void restore(List<PodCopy> stored) {
        stored.forEach(copy -> copies.put(copy.pod().ref(), copy));
    }

    /** The copy of a pod, unless its time is over. */
    public synchronized Optional<PodCopy> find(PodRef pod) {
        Instant now = time.now();
        return Optional.ofNullable(copies.get(pod))
                .filter(copy -> copy.expires().filter(end -> !end.isAfter(now)).isEmpty());
    }

    /** All copies, ordered by pod. */
    public synchronized List<PodCopy> all() {
        return copies.values().stream()
                .sorted(Comparator.comparing(copy -> copy.pod().ref()))
                .toList();
    }

    /**
     * A pod was seen.
     *
     * @return what to write, at best together with the lease it was seen for; empty if the disk has it. The caller then
     *     calls {@link #written}; else the next {@link #purgeExpired} writes it
     */
    public synchronized Optional<Change.PutPod> seen(Pod pod) {
        note(pod);
        return Optional.of(pod.ref())
                .filter(unwritten::contains)
                .map(copies::get)
                .map(Change.PutPod::new);
    }

    /** The disk has it. */
    public synchronized void written(Change.PutPod change) {
        PodRef pod = change.copy().pod().ref();
        if (change.copy().equals(copies.get(pod))) {
            unwritten.remove(pod);
        }
    }

    /** The API server has no such pod any more. */
    public synchronized void gone(PodRef pod) {
        PodCopy known = copies.get(pod);
        if (known != null && known.expires().isEmpty()) {
            Instant end = time.now().plus(KEPT);
            put(new PodCopy(known.pod(), known.lastSeen(), Optional.of(end)));
        }
    }

    /** These are all the pods there are, as far as the API server, or its cache, knows. */
    public synchronized void listed(Collection<Pod> pods) {
        pods.forEach(this::note);
        Set<PodRef> missing = new HashSet<>(copies.keySet());
        pods.forEach(pod -> missing.remove(pod.ref()));
        missing.forEach(this::gone);
    }

    /** Where no source knows the pods: those with a lease are there, and no others. */
    public synchronized void leased(Collection<Lease> leases) {
        Set<PodRef> there = leases.stream().map(Lease::pod).collect(Collectors.toSet());
        for (PodCopy copy : List.copyOf(copies.values())) {
            if (!there.contains(copy.pod().ref())) {
                gone(copy.pod().ref());
            } else if (copy.expires().isPresent()) {
                put(new PodCopy(copy.pod(), time.now(), Optional.empty()));
            }
        }
    }

    private void note(Pod seen) {
        // labels and annotations change more often than what a lease needs, and would be written each time
        Pod pod = seen.withoutMetadata();
        Instant now = time.now();
        PodCopy known = copies.get(pod.ref());
        Optional<Instant> expires = pod.finished() ? Optional.of(now.plus(KEPT)) : Optional.empty();
        boolean asBefore = known != null
                && known.pod().equals(pod)
                && known.expires().isPresent() == expires.isPresent()
                && Duration.between(known.lastSeen(), now).abs().compareTo(FRESH) < 0;
        if (!asBefore) {
            boolean stillGone = known != null && known.expires().isPresent() && expires.isPresent();
            put(new PodCopy(pod, now, stillGone ? known.expires() : expires));
        }
    }

    private void put(PodCopy copy) {
        copies.put(copy.pod().ref(), copy);
        unwritten.add(copy.pod().ref());
    }

    /** Ends copies whose time is over, mends deadlines that cannot be right, and writes what the disk does not know. */
    public void purgeExpired() {
        List<Change> changes;
        Set<PodRef> writing;
        synchronized (this) {
            Instant now = time.now();
            Instant latest = now.plus(KEPT);
            for (PodCopy copy : List.copyOf(copies.values())) {
                Optional<Instant> end = copy.expires();
                if (end.filter(at -> !at.isAfter(now)).isPresent()) {
                    remove(copy);
                } else if (end.filter(at -> at.isAfter(latest)).isPresent()) {
                    put(new PodCopy(copy.pod(), copy.lastSeen(), Optional.of(latest)));
                }
            }
            copies.values().stream()
                    .sorted(FIRST_TO_GO)
                    .limit(Math.max(0, copies.size() - MOST))
                    .toList()
                    .forEach(this::remove);
            writing = Set.copyOf(unwritten);
            unwritten.clear();
            changes = writing.stream().map(this::change).toList();
        }
        if (!changes.isEmpty()) {
            Stages.call(() -> db.commit(changes)).whenComplete((done, error) -> {
                if (error != null) {
                    synchronized (this) {
                        unwritten.addAll(writing);
                    }
                }
            });
        }
    }

    private void remove(PodCopy copy) {
        copies.remove(copy.pod().ref());
        unwritten.add(copy.pod().ref());
    }

    /** Under the lock. */
    private Change change(PodRef ref) {
        PodCopy copy = copies.get(ref);
        return copy == null ? new Change.RemovePod(ref) : new Change.PutPod(copy);
    }
}
