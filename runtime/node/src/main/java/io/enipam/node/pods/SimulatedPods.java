package io.enipam.node.pods;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.PlaceholderPod;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.platform.AtomicFile;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The simulated API server of a sandbox. A pod exists from its first ADD until it is deleted. Thread-safe.
 *
 * <p>After a restart the pods of leases and of connected sandboxes exist: an API server does not forget pods because a
 * node loses its database. Pods that were deleted meanwhile do not: a small file, written before the deletion is
 * acknowledged, holds their UIDs. The pods have no addresses, since nothing reports them.
 */
public final class SimulatedPods implements NodePods {
    @Override
    public String source() {
        return "the sandbox's pods";
    }

    private final DeletedPodsFile deleted;
    private final Supplier<String> newUid;

    @GuardedBy("this")
    private final Map<String, Pod> pods = new TreeMap<>();

    @GuardedBy("this")
    private final Set<String> deletedUids;

    /** The file has the UIDs of deleted pods; leases and sandboxes are those at the start. */
    public static SimulatedPods open(Path file, List<Lease> leases, List<Attachment> sandboxes) throws IOException {
        Map<PodRef, String> uids = new LinkedHashMap<>();
        sandboxes.forEach(sandbox -> sandbox.pod().ifPresent(pod -> uids.put(pod, sandbox.podUid())));
        leases.stream()
                .filter(lease -> !PlaceholderPod.is(lease.pod()))
                .forEach(lease -> uids.put(lease.pod(), lease.podUid()));
        return new SimulatedPods(
                new DeletedPodsFile(file), uids, () -> UUID.randomUUID().toString());
    }

    SimulatedPods(DeletedPodsFile deleted, Map<PodRef, String> known, Supplier<String> newUid) throws IOException {
        this.deleted = deleted;
        this.newUid = newUid;
        Set<String> uids = new HashSet<>(deleted.read());
        // a UID without a lease or sandbox need not be remembered
        uids.retainAll(known.values());
        deletedUids = uids;
        known.forEach((pod, uid) -> {
            if (!uids.contains(uid)) {
                pods.put(pod.toString(), pod(pod, uid));
            }
        });
    }

    @Override
    public synchronized void admit(PodRef pod, String leaseUid) {
        Pod known = pods.get(pod.toString());
        if (known != null) {
            if (Pod.areDifferent(known.uid(), leaseUid) && !deletedUids.contains(leaseUid)) {
                // the runtime has recreated it under its name
                deletedUids.add(known.uid());
                persist();
                pods.put(pod.toString(), pod(pod, leaseUid));
            }
            return;
        }
        // the same sandbox belongs to the same pod; another sandbox of the name is a new pod
        String uid = leaseUid.isEmpty() ? newUid.get() : leaseUid;
        if (deletedUids.contains(uid)) {
            deletedUids.remove(uid);
            persist();
        }
        pods.put(pod.toString(), pod(pod, uid));
    }

    @Override
    public synchronized void restore(PodRef pod, String uid) {
        if (!uid.isEmpty() && !deletedUids.contains(uid)) {
            pods.putIfAbsent(pod.toString(), pod(pod, uid));
        }
    }

    @Override
    public synchronized void delete(PodRef pod) {
        Pod known = pods.get(pod.toString());
        if (known == null) {
            throw new IpamException(
                    ErrorCode.NOT_FOUND, "there is no pod " + pod, "'pod list' shows the pods there are");
        }
        deletedUids.add(known.uid());
        persist();
        pods.remove(pod.toString());
    }

    @Override
    public synchronized CompletionStage<Optional<Pod>> find(PodRef pod) {
        return CompletableFuture.completedStage(Optional.ofNullable(pods.get(pod.toString())));
    }

    @Override
    public synchronized CompletionStage<List<Pod>> list() {
        return CompletableFuture.completedStage(List.copyOf(pods.values()));
    }

    @GuardedBy("this")
    private void persist() {
        try {
            deleted.write(deletedUids);
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "the list of deleted pods cannot be written: " + e.getMessage(),
                    "try again later: the disk is full, or the daemon's directory cannot be written",
                    e);
        }
    }

    private static Pod pod(PodRef ref, String uid) {
        return new Pod(ref, uid, false, Duration.ZERO);
    }

    /** The file with the UIDs of deleted pods; replaced atomically. */
    record DeletedPodsFile(Path file) {
        private static final String FIELD = "deletedUids";
        private static final TypeReference<Map<String, Set<String>>> SHAPE = new TypeReference<>() {};

        private static final JsonMapper MAPPER = new JsonMapper();

        Set<String> read() throws IOException {
            if (!Files.exists(file)) {
                return Set.of();
            }
            try {
                return MAPPER.readValue(file.toFile(), SHAPE).getOrDefault(FIELD, Set.of());
            } catch (IOException e) {
                throw new IOException(
                        file + " is damaged; remove it, and pods deleted before will be taken for alive again", e);
            }
        }

        void write(Collection<String> uids) throws IOException {
            AtomicFile.write(file, MAPPER.writeValueAsBytes(Map.of(FIELD, new TreeSet<>(uids))));
        }
    }
}
