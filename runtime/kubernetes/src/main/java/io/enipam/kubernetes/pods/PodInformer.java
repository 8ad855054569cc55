package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.api.ApiSerialization;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.EpochGuardedCache;
import io.enipam.kubernetes.api.WatchStallDetector;
import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A watch on the pods of this node: a list at the start, then changes. It continues without end: fabric8's informer
 * reopens a broken connection after a growing pause with jitter, and lists again if the server has forgotten the
 * history (410). {@link #checkStall} handles what the informer does not notice: if it waits for an answer that never
 * ends, or for a connection that delivers nothing more, another informer with the same cache replaces it. Thread-safe.
 */
public final class PodInformer implements AutoCloseable {
    private final TrimmedPodCache pods = new TrimmedPodCache();
    private final ManifestParser reader;
    private final ApiServerClient calls;
    private final String node;
    private final PodListener listener;
    private final WatchStallDetector silence = new WatchStallDetector(ThreadLocalRandom.current());
    private final AtomicReference<String> failureReason = new AtomicReference<>("they were not listed yet");
    /** What the listener knows of the API server: whether it is reachable; null before the first report. */
    private final AtomicReference<@Nullable Boolean> told = new AtomicReference<>();

    private volatile InformerSession turn;
    private volatile boolean listed;

    /** @param node name of the node in the cluster */
    public PodInformer(ApiServerClient calls, String node, ManifestParser reader, PodListener listener) {
        this.calls = calls;
        this.node = node;
        this.reader = reader;
        this.listener = listener;
        this.turn = new InformerSession();
    }

    /** Starts; returns at once. The listener gets the existing pods with the first list. */
    public void start() {
        turn.informer.start();
    }

    /** Whether the pods were listed once. */
    public boolean hasSynced() {
        listed = listed || turn.informer.hasSynced();
        return listed;
    }

    /** Whether {@link #pods()} is the server's state of now or of a few seconds ago. */
    public boolean isCurrent() {
        return hasSynced() && failureReason.get().isEmpty();
    }

    /** Why {@link #isCurrent()} is false; empty text if it is true. */
    public String failureReason() {
        return failureReason.get();
    }

    /** One of the node's known pods, if it has a network of its own. */
    public Optional<io.enipam.engine.model.Pod> find(PodRef pod) {
        return Optional.ofNullable(pods.get(Cache.namespaceKeyFunc(pod.namespace(), pod.name())))
                .filter(known -> !ManifestParser.inHostNetwork(known))
                .map(known -> reader.parse(known).pod());
    }

    /** The node's known pods, without those in the node's own network. */
    public List<io.enipam.engine.model.Pod> pods() {
        return known().map(pod -> reader.parse(pod).pod()).toList();
    }

    /** The same with all kept data of the API server. */
    public List<WatchedPod> watchedPods() {
        return known().map(reader::watched).toList();
    }

    /** Their names, for which no manifest is read. */
    public Set<PodRef> names() {
        return known().map(ManifestParser::ref).collect(Collectors.toSet());
    }

    /** How many they are. */
    public int size() {
        return (int) known().count();
    }

    private Stream<Pod> known() {
        return pods.values().filter(pod -> !ManifestParser.inHostNetwork(pod));
    }

    /** Whether a connection for changes is open. A watch is reopened every few minutes, which takes a moment. */
    public boolean isOpen() {
        return turn.informer.isWatching();
    }

    /** Reports a connection away for longer than a reopening takes, or back: the client reopens silently. */
    public void connected(boolean connected) {
        if (connected && hasSynced()) {
            works();
        } else if (hasSynced() && failureReason.get().isEmpty()) {
            failed("the connection of the watch broke, and no new one comes to be");
        }
    }

    /**
     * Checks the connection, and restarts the watch if it has been closed or silent for minutes; to be called every few
     * seconds. The restart reports missed changes.
     *
     * @param nanos of a monotonic clock
     */
    public synchronized void checkStall(long nanos) {
        InformerSession before = turn;
        if (!before.informer.isRunning()
                || !silence.isStalled(isOpen(), before.informer.lastSyncResourceVersion(), nanos)) {
            return;
        }
        turn = new InformerSession();
        before.informer.stop();
        turn.informer.start();
    }

    @Override
    public synchronized void close() {
        turn.informer.stop();
    }

    private void failed(String why) {
        failureReason.set(why);
        if (!Boolean.FALSE.equals(told.getAndSet(false))) {
            listener.onReachable(false, why);
        }
    }

    private void heard() {
        listener.onEvent();
        works();
    }

    private void works() {
        failureReason.set("");
        if (!Boolean.TRUE.equals(told.getAndSet(true))) {
            listener.onReachable(true, "");
        }
    }

    /**
     * One informer. Late events of a former one are still reported, since the listener verifies them; they say nothing
     * of the present connection.
     */
    private final class InformerSession implements ResourceEventHandler<Pod> {
        private final SharedIndexInformer<Pod> informer = calls.client()
                .pods()
                .inAnyNamespace()
                .withField("spec.nodeName", node)
                .runnableInformer(0);

        private InformerSession() {
            informer.itemStore(new EpochGuardedCache<>(pods, this::isOver));
            informer.exceptionHandler((started, error) -> {
                if (!isOver()) {
                    failed(ApiServerClient.reason(error));
                }
                return true;
            });
            informer.addEventHandler(this);
        }

        private boolean isOver() {
            return turn != this;
        }

        private void heard() {
            if (!isOver()) {
                PodInformer.this.heard();
            }
        }

        @Override
        public void onNothing() {
            heard();
        }

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            heard();
        }

        @Override
        public void onAdd(Pod pod) {
            changed(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            // a watch that broke may report two pods of one name as a change of one
            if (!Objects.equals(before.getMetadata().getUid(), pod.getMetadata().getUid())
                    && !ManifestParser.inHostNetwork(before)) {
                listener.onPodEnded(ManifestParser.ref(before), "another pod has its name now");
            }
            changed(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            heard();
            if (!ManifestParser.inHostNetwork(pod) && !ManifestParser.isMirror(pod)) {
                listener.onPodEnded(
                        ManifestParser.ref(pod),
                        finalStateUnknown ? "it was missing when the pods were listed again" : "it was deleted");
            }
        }

        private void changed(Pod pod) {
            heard();
            if (ManifestParser.inHostNetwork(pod)) {
                return;
            }
            listener.onPod(reader.parse(pod));
            if (ManifestParser.finished(pod)) {
                listener.onPodEnded(ManifestParser.ref(pod), "it has finished");
            }
        }
    }

    /** Gets the watch's events. Called on one thread; must not block, since the next event waits for it. */
    public interface PodListener {
        /** A pod of this node exists or has changed. Not called for pods in the node's own network. */
        void onPod(ParsedManifest manifest);

        /** A pod of this node finished, was deleted, is missing in a new list, or another has its name now. */
        void onPodEnded(PodRef pod, String why);

        /** The API server answers, or does not; called when that changes. */
        void onReachable(boolean reachable, String why);

        /** Any delivery of the watch: a list, or a change of any pod, those in the node's own network included. */
        default void onEvent() {}
    }

    /**
     * A pod of this node as the API server reported it.
     *
     * @param noted its annotation {@code k8s.aliyun.com/pod-ips}, or empty text
     */
    public record WatchedPod(io.enipam.engine.model.Pod pod, PodDetails details, String noted) {
        /**
         * Pod data that operators inspect and the engine does not use.
         *
         * @param phase Pending, Running, Succeeded, Failed or Unknown; empty text if the server gives none
         * @param owner kind and name of the controller: {@code StatefulSet/web}; empty text without one
         */
        public record PodDetails(String phase, String owner, Optional<Instant> deleting) {
            /** For a pod without known data. */
            public static final PodDetails NONE = new PodDetails("", "", Optional.empty());

            static PodDetails of(Pod pod) {
                String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
                return new PodDetails(
                        phase == null ? "" : phase,
                        owner(pod.getMetadata().getOwnerReferences()),
                        ApiSerialization.deletion(pod.getMetadata()));
            }

            private static String owner(@Nullable List<OwnerReference> owners) {
                return owners == null
                        ? ""
                        : owners.stream()
                                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                                .map(owner -> owner.getKind() + "/" + owner.getName())
                                .findFirst()
                                .orElse("");
            }
        }
    }
}
