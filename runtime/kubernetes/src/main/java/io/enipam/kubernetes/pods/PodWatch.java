package io.enipam.kubernetes.pods;

import io.enipam.kubernetes.api.ApiCalls;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A watch on the pods of this node: a list at the start, then what changes. It goes on for ever: a connection that breaks is
 * opened again after a while that grows and differs from node to node, and a history that the server has forgotten (410) is
 * listed anew. Both are fabric8's informer's doing. Thread-safe.
 */
public final class PodWatch implements AutoCloseable {
    private final TrimmedPods pods = new TrimmedPods();
    private final ManifestReader reader;
    private final SharedIndexInformer<Pod> informer;
    private final PodListener listener;
    private final AtomicReference<String> trouble = new AtomicReference<>("they were not listed yet");

    /** @param node name of the node, as the API server has it */
    public PodWatch(ApiCalls calls, String node, ManifestReader reader, PodListener listener) {
        this.reader = reader;
        this.listener = listener;
        informer = calls.client()
                .pods()
                .inAnyNamespace()
                .withField("spec.nodeName", node)
                .runnableInformer(0);
        informer.itemStore(pods);
        informer.exceptionHandler((started, error) -> {
            failed(ApiCalls.reason(error));
            return true;
        });
        informer.addEventHandler(new Events());
    }

    /** Begins; returns at once. The listener is told of what there is, once the first list has come. */
    public void begin() {
        informer.start();
    }

    /** Whether the pods were listed once: from then on {@link #now()} is what the server said last. */
    public boolean hasListed() {
        return informer.hasSynced();
    }

    /** Why {@link #hasListed()} is not true, or what the last connection broke on; empty text if all is well. */
    public String trouble() {
        return trouble.get();
    }

    /** The node's pods as far as is known, those in the node's own network left out. */
    public List<io.enipam.engine.model.Pod> now() {
        return pods.values()
                .filter(pod -> !ManifestReader.inHostNetwork(pod))
                .map(pod -> reader.read(pod).pod())
                .toList();
    }

    /** The same with what is written to them, those that have finished left out. */
    public List<WatchedPod> watched() {
        return pods.values()
                .filter(pod -> !ManifestReader.inHostNetwork(pod) && !ManifestReader.finished(pod))
                .map(pod -> new WatchedPod(reader.read(pod).pod(), noted(pod)))
                .toList();
    }

    private static String noted(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Annotations.POD_IPS))
                .orElse("");
    }

    /** The same with what people ask of a pod. */
    public List<SeenPod> seen() {
        return pods.values()
                .filter(pod -> !ManifestReader.inHostNetwork(pod))
                .map(pod -> new SeenPod(reader.read(pod).pod(), PodDetails.of(pod)))
                .toList();
    }

    /** Whether a connection is open on which changes would come now. A watch is opened anew every few minutes, which takes a moment. */
    public boolean isOpen() {
        return informer.isWatching();
    }

    /**
     * Says that the connection has been away for too long to be one that is just opened anew, or that it is there again: the client
     * opens it in silence.
     */
    public void connected(boolean connected) {
        if (connected && hasListed()) {
            works();
        } else if (hasListed() && trouble.get().isEmpty()) {
            failed("the connection of the watch broke, and no new one comes to be");
        }
    }

    @Override
    public void close() {
        informer.stop();
    }

    private void failed(String why) {
        if (trouble.getAndSet(why).isEmpty()) {
            listener.reachable(false, why);
        }
    }

    private void heard() {
        listener.heard();
        works();
    }

    private void works() {
        if (!trouble.getAndSet("").isEmpty()) {
            listener.reachable(true, "");
        }
    }

    private final class Events implements ResourceEventHandler<Pod> {
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
            changed(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            listener.heard();
            if (!ManifestReader.inHostNetwork(pod)) {
                listener.over(
                        ManifestReader.ref(pod),
                        finalStateUnknown ? "it was missing when the pods were listed again" : "it was deleted");
            }
        }

        private void changed(Pod pod) {
            heard();
            if (ManifestReader.inHostNetwork(pod)) {
                return;
            }
            listener.seen(reader.read(pod));
            if (ManifestReader.finished(pod)) {
                listener.over(ManifestReader.ref(pod), "it has finished");
            }
        }
    }
}
