package io.enipam.examples.nodeipam.assign;

import io.enipam.sdk.Source;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes for which there are no blocks, the one that waits longest first, and the source that tells their keys when there may be
 * some. Thread-safe.
 */
public final class WaitingNodes implements Source {
    /** More than the nodes that can have what was freed: the first ones may be such as cannot use it. */
    private static final int AT_ONCE = 64;

    private final Set<String> names = new LinkedHashSet<>(); // by this
    private Optional<Sink> sink = Optional.empty(); // by this

    @Override
    public String name() {
        return "waiting";
    }

    /** What waits is reported by the source of the nodes. */
    @Override
    public AutoCloseable open(Sink now) {
        synchronized (this) {
            sink = Optional.of(now);
            names.clear();
        }
        now.synced();
        return () -> closed(now);
    }

    private synchronized void closed(Sink was) {
        sink = sink.filter(now -> now != was);
    }

    /** A node has none; it keeps its turn if it waits already. */
    synchronized void add(String node) {
        names.add(node);
    }

    synchronized void remove(String node) {
        names.remove(node);
    }

    /** Those that wait, the one that waits longest first. */
    public synchronized List<String> names() {
        return List.copyOf(names);
    }

    /** Blocks of a node are free: the nodes that wait longest are tried again now, the others within a minute. */
    public void blocksFreed() {
        tell(first(AT_ONCE));
    }

    /** There are other ranges now: all nodes that wait are tried again. */
    public void rangesChanged() {
        tell(names());
    }

    private synchronized List<String> first(int most) {
        return names.stream().limit(most).toList();
    }

    /** A node is to be looked at. */
    void tell(List<String> nodes) {
        Optional<Sink> now;
        synchronized (this) {
            now = sink;
        }
        now.ifPresent(open -> nodes.forEach(open::changed));
    }
}
