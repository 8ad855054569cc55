package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.ManifestParser.ParsedManifest;
import io.enipam.sdk.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A watch on the pods of this node: a list at the start, then what changes. It goes on for ever: a connection that breaks is
 * opened again after a while that grows and differs from node to node, and a history that the server has forgotten (410) is
 * listed anew. Both are fabric8's informer's doing. What it does not notice, {@link #checkStall} does: an informer that waits for an answer
 * which never ends, or that listens to a connection on which nothing will ever come, is replaced by another one with the same
 * memory. Thread-safe.
 */
public final class PodInformer implements AutoCloseable {
    private final TrimmedPodCache pods = new TrimmedPodCache();
    private final ManifestParser reader;
    private final ApiServerClient calls;
    private final String node;
    private final PodListener listener;
    private final WatchStallDetector silence = new WatchStallDetector(ThreadLocalRandom.current());
    private final AtomicReference<String> failureReason = new AtomicReference<>("they were not listed yet");
    private final AtomicReference<Reachability> told = new AtomicReference<>(Reachability.NOTHING);
    private volatile InformerSession turn;
    private volatile boolean listed;

    /** What the listener knows of the API server. */
    private enum Reachability {
        NOTHING,
        REACHABLE,
        UNREACHABLE
    }

    /** @param node name of the node, as the API server has it */
    public PodInformer(ApiServerClient calls, String node, ManifestParser reader, PodListener listener) {
        this.calls = calls;
        this.node = node;
        this.reader = reader;
        this.listener = listener;
        this.turn = new InformerSession();
    }

    /** Begins; returns at once. The listener is told of what there is, once the first list has come. */
    public void start() {
        turn.informer.start();
    }

    /** Whether the pods were listed once. */
    public boolean hasSynced() {
        listed = listed || turn.informer.hasSynced();
        return listed;
    }

    /** Whether {@link #pods()} is what the server says now, or said a few seconds ago. */
    public boolean isCurrent() {
        return hasSynced() && failureReason.get().isEmpty();
    }

    /** Why {@link #isCurrent()} is not true; empty text if all is well. */
    public String failureReason() {
        return failureReason.get();
    }

    /** One of the node's pods as far as is known, with a network of its own. */
    public Optional<io.enipam.engine.model.Pod> find(PodRef pod) {
        return Optional.ofNullable(pods.get(Cache.namespaceKeyFunc(pod.namespace(), pod.name())))
                .filter(known -> !ManifestParser.inHostNetwork(known))
                .map(known -> reader.parse(known).pod());
    }

    /** The node's pods as far as is known, those in the node's own network left out. */
    public List<io.enipam.engine.model.Pod> pods() {
        return pods.values()
                .filter(pod -> !ManifestParser.inHostNetwork(pod))
                .map(pod -> reader.parse(pod).pod())
                .toList();
    }

    /** The same with all that the API server reported of them. */
    public List<WatchedPod> watchedPods() {
        return pods.values()
                .filter(pod -> !ManifestParser.inHostNetwork(pod))
                .map(reader::watched)
                .toList();
    }

    /** Whether a connection is open on which changes would come now. A watch is opened anew every few minutes, which takes a moment. */
    public boolean isOpen() {
        return turn.informer.isWatching();
    }

    /**
     * Says that the connection has been away for too long to be one that is just opened anew, or that it is there again: the client
     * opens it in silence.
     */
    public void connected(boolean connected) {
        if (connected && hasSynced()) {
            works();
        } else if (hasSynced() && failureReason.get().isEmpty()) {
            failed("the connection of the watch broke, and no new one comes to be");
        }
    }

    /**
     * Sees whether the connection still is one, and begins anew if it has been closed or silent for minutes; to be called every few
     * seconds. What was missed meanwhile is told then.
     *
     * @param nanos of a clock that never jumps
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
        if (told.getAndSet(Reachability.UNREACHABLE) != Reachability.UNREACHABLE) {
            listener.onReachable(false, why);
        }
    }

    private void heard() {
        listener.onEvent();
        works();
    }

    private void works() {
        failureReason.set("");
        if (told.getAndSet(Reachability.REACHABLE) != Reachability.REACHABLE) {
            listener.onReachable(true, "");
        }
    }

    /** One informer. What a former one hears late is told, since whoever is told makes sure; it is no word on how things are now. */
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
            // a watch that broke may hear of two pods of one name as of one that changed
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

    /** Told by the watch. Called on one thread; must not block, since the next event waits for it. */
    public interface PodListener {
        /** A pod of this node is there, or has changed. Not told of pods in the node's own network. */
        void onPod(ParsedManifest manifest);

        /** A pod of this node has finished, was deleted, was missing when the watch listed them anew, or has a successor of its name. */
        void onPodEnded(PodRef pod, String why);

        /** The API server has answered, or does not: told when that changes. */
        void onReachable(boolean reachable, String why);

        /** Anything at all was heard: a list, or a change of any pod, those in the node's own network included. */
        default void onEvent() {}
    }

    /**
     * A memory that several informers use one after the other. What one does to it whose turn is over changes nothing, and looks to it
     * as if there had been nothing to change: an answer may come minutes after nobody waits for it any more. Thread-safe.
     */
    record EpochGuardedCache<T>(ItemStore<T> store, BooleanSupplier over) implements ItemStore<T> {
        @Override
        public String getKey(T item) {
            return store.getKey(item);
        }

        @Override
        public @Nullable T put(String key, T item) {
            return over.getAsBoolean() ? item : store.put(key, item);
        }

        @Override
        public @Nullable T remove(String key) {
            return over.getAsBoolean() ? null : store.remove(key);
        }

        @Override
        public Stream<String> keySet() {
            return over.getAsBoolean() ? Stream.empty() : store.keySet();
        }

        @Override
        public Stream<T> values() {
            return over.getAsBoolean() ? Stream.empty() : store.values();
        }

        @Override
        public int size() {
            return over.getAsBoolean() ? 0 : store.size();
        }

        @Override
        public @Nullable T get(String key) {
            return over.getAsBoolean() ? null : store.get(key);
        }
    }
}
