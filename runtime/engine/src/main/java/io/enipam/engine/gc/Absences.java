package io.enipam.engine.gc;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.PodCopy;
import io.enipam.engine.pods.PodStore;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * What it is worth that the API server knows no pod of a name. Of nearly all pods it is the truth. A static pod runs by a file on
 * the node, and what the API server has is a mirror of it, which anybody can delete while the pod runs on: of such a pod only the
 * kernel tells that it is over, by having no sandbox of its. And a pod whose UID nobody told may be a static one whose mirror is
 * not made yet, since the API server was away: it has to be missed for ten minutes.
 *
 * <p>Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/">static pods</a>
 */
final class Absences {
    /** The kubelet makes the UIDs of static pods itself, from a hash of the file; those of the API server have dashes. */
    private static final Pattern STATIC = Pattern.compile("[0-9a-f]{32}");

    private final TimeSource time;
    private final PodStore copies;
    private final Datapath kernel;
    private final Map<OwnerKey, Instant> missed = new ConcurrentHashMap<>();

    Absences(TimeSource time, PodStore copies, Datapath kernel) {
        this.time = time;
        this.copies = copies;
        this.kernel = kernel;
    }

    /** Whether two UIDs that differ are those of different pods. The API server has a UID of its own for a mirror. */
    static boolean tellApart(String uid, String other) {
        return isStatic(uid) == isStatic(other);
    }

    private static boolean isStatic(String uid) {
        return STATIC.matcher(uid).matches();
    }

    /** Only these are missed, and nobody else is any more. */
    void missedAreAmong(Collection<OwnerKey> owners) {
        missed.keySet().retainAll(owners);
    }

    /** Whether a pod that the API server does not know is over. */
    CompletionStage<Boolean> prove(Candidate candidate) {
        String uid = candidate.podUid().isEmpty() ? seen(candidate.pod()) : candidate.podUid();
        if (uid.isEmpty()) {
            Instant since = missed.computeIfAbsent(candidate.owner(), owner -> time.now());
            return CompletableFuture.completedFuture(isLongAgo(since));
        }
        return isStatic(uid) ? isDisconnected(candidate) : CompletableFuture.completedFuture(true);
    }

    private String seen(PodRef pod) {
        return copies.find(pod).map(PodCopy::pod).map(Pod::uid).orElse("");
    }

    /** Between the lease and the connection of a sandbox that is being made there is nothing in the kernel. */
    private CompletionStage<Boolean> isDisconnected(Candidate candidate) {
        return isLongAgo(candidate.since())
                ? Stages.call(kernel::attached)
                        .thenApply(sandboxes -> sandboxes.stream()
                                .noneMatch(sandbox -> sandbox.owner().equals(candidate.owner())
                                        || !Collections.disjoint(sandbox.addresses(), candidate.addresses())))
                : CompletableFuture.completedFuture(false);
    }

    private boolean isLongAgo(Instant since) {
        return Duration.between(since, time.now()).compareTo(Gone.GRACE) >= 0;
    }
}
