package io.enipam.engine.simulation;

import io.enipam.engine.model.Pod;
import io.enipam.engine.port.PodDirectory;
import io.enipam.engine.port.PodDirectory.PodLookupResult;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An API server in memory that knows the pods that its owner tells it, and is away when its owner says so. Thread-safe. */
public final class MemoryPods implements PodDirectory {
    private final Map<String, Pod> pods = new TreeMap<>();
    private final Map<String, Pod> watched = new TreeMap<>();
    private int questions;
    private List<Pod> staleList = List.of();
    private boolean stale;
    private boolean down;
    private boolean strict;
    private boolean mute;
    private boolean silent;
    private final Map<String, String> elsewhere = new TreeMap<>();
    private boolean ofAnotherNode;
    private Duration secondLook = Duration.ZERO;

    /** Creates a pod, or replaces it. */
    public synchronized Pod put(String pod, String uid, boolean finished, Duration stick) {
        Pod made = new Pod(PodRef.parse(pod), uid, finished, stick);
        pods.put(pod, made);
        return made;
    }

    /** Creates a pod, or replaces it. */
    public synchronized void put(Pod pod) {
        pods.put(pod.ref().toString(), pod);
    }

    /** The API server has learned what addresses a pod has. */
    public synchronized void addressed(String pod, List<InetAddress> addresses) {
        pods.computeIfPresent(
                pod,
                (name, known) ->
                        new Pod(known.ref(), known.uid(), known.finished(), known.stick(), addresses, known.wishes()));
    }

    /** What addresses a pod has, as far as the API server has learned; down or not. */
    public synchronized List<InetAddress> addresses(PodRef pod) {
        Pod known = pods.get(pod.toString());
        return known == null ? List.of() : known.addresses();
    }

    /** Creates an ordinary running pod. */
    public Pod put(String pod) {
        return put(pod, "uid-of-" + pod, false, Duration.ZERO);
    }

    public synchronized void remove(String pod) {
        pods.remove(pod);
    }

    /** The watch has heard of all that is so now; until the next time it has this. */
    public synchronized void watch() {
        watched.clear();
        watched.putAll(pods);
    }

    @Override
    public synchronized Optional<Pod> lastKnown(PodRef pod) {
        return Optional.ofNullable(watched.get(pod.toString()));
    }

    /** The UID of a pod, or empty text if there is none; down or not. */
    public synchronized String uid(String pod) {
        Pod known = pods.get(pod);
        return known == null ? "" : known.uid();
    }

    /** How often a single pod was asked for. */
    public synchronized int questions() {
        return questions;
    }

    /** From now on, nothing answers, or all does again. */
    public synchronized void down(boolean down) {
        this.down = down;
    }

    /** From now on, a question for one pod is never answered. */
    public synchronized void stopAnswering() {
        silent = true;
    }

    /** From now on, the list is reported and no single pod is, or all is reported again. */
    public synchronized void mute(boolean mute) {
        this.mute = mute;
    }

    /** From now on, a pod that it knows is on another node. */
    public synchronized void elsewhere(String pod, String node) {
        elsewhere.put(pod, node);
    }

    /** From now on, this is the API server of another node, or of this one again. */
    public synchronized void ofAnotherNode(boolean other) {
        ofAnotherNode = other;
    }

    /** From now on, most of the node's pods are looked for twice. */
    public synchronized void recheckDelay(Duration pause) {
        secondLook = pause;
    }

    @Override
    public synchronized Duration recheckDelay() {
        return secondLook;
    }

    @Override
    public synchronized CompletionStage<Void> verifyIdentity() {
        return ofAnotherNode
                ? CompletableFuture.failedFuture(new IOException("there is no such node"))
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<PodLookupResult> locate(PodRef pod) {
        return find(pod).thenApply(found -> sighting(pod, found));
    }

    private synchronized PodLookupResult sighting(PodRef pod, Optional<Pod> found) {
        String node = elsewhere.get(pod.toString());
        return found.<PodLookupResult>map(known -> node == null
                        ? new PodLookupResult.OnThisNode(known)
                        : new PodLookupResult.OnOtherNode(known, node))
                .orElseGet(PodLookupResult.NotFound::new);
    }

    @Override
    public synchronized CompletionStage<List<Pod>> listUncached() {
        return down ? away() : CompletableFuture.completedFuture(here());
    }

    private List<Pod> here() {
        return pods.values().stream()
                .filter(pod -> !elsewhere.containsKey(pod.ref().toString()))
                .toList();
    }

    /** From now on, an ADD whose pod is unknown is refused while no source answers. */
    public synchronized void strict() {
        strict = true;
    }

    @Override
    public synchronized boolean allowsUnknownPods() {
        return !strict;
    }

    /** From now on, the list stays what it is now, while single pods are still told as they are. */
    public synchronized void freezeList() {
        staleList = List.copyOf(pods.values());
        stale = true;
    }

    /** From now on, the list breaks its contract: it has nothing in the place of a pod. */
    public synchronized void listNonsense() {
        staleList = Collections.singletonList(null);
        stale = true;
    }

    @Override
    public synchronized CompletionStage<Optional<Pod>> find(PodRef pod) {
        questions++;
        if (silent) {
            return new CompletableFuture<>();
        }
        return down || mute ? away() : CompletableFuture.completedFuture(Optional.ofNullable(pods.get(pod.toString())));
    }

    @Override
    public synchronized CompletionStage<List<Pod>> list() {
        return down ? away() : CompletableFuture.completedFuture(stale ? staleList : here());
    }

    private static <T> CompletionStage<T> away() {
        return CompletableFuture.failedFuture(new IOException("the API server is away"));
    }
}
