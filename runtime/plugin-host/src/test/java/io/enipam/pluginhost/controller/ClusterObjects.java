package io.enipam.pluginhost.controller;

import io.enipam.pluginhost.testing.FakeLease;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.testkit.InMemoryJournal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/** The world around a few hosts: nodes that come and go, what is assigned to them, and the store that the hosts share. Thread-safe. */
final class ClusterObjects {
    final FakeLease lease = new FakeLease("a");
    final Set<String> nodes = new ConcurrentSkipListSet<>();
    /** The block of each node, as effects have assigned it. */
    final ConcurrentSkipListMap<String, String> assigned = new ConcurrentSkipListMap<>();
    /** Commits of a host that did not hold the lease. */
    final List<String> strangers = new CopyOnWriteArrayList<>();

    final AtomicInteger openings = new AtomicInteger();
    volatile InMemoryJournal store = new InMemoryJournal();
    /** Called with a host's name before each of its transactions. */
    volatile Consumer<String> beforeCommit = host -> {};

    /** Called when a host has read, and before it gets what it has read. */
    volatile Runnable afterRead = () -> {};

    private final Set<Source.Sink> watching = ConcurrentHashMap.newKeySet();

    int watched() {
        return watching.size();
    }

    void join(String node) {
        nodes.add(node);
        watching.forEach(sink -> sink.changed(node));
    }

    void leave(String node) {
        nodes.remove(node);
        watching.forEach(sink -> sink.changed(node));
    }

    void lose(String why) {
        watching.forEach(sink -> sink.lost(why));
    }

    /** The lease passes between two commits, not within one. */
    void pass(String to) {
        InMemoryJournal shared = store;
        synchronized (shared) {
            lease.expire();
        }
        lease.passTo(to);
    }

    Source source() {
        return new Source() {
            @Override
            public String name() {
                return "nodes";
            }

            @Override
            public AutoCloseable open(Sink sink) {
                openings.incrementAndGet();
                watching.add(sink);
                nodes.forEach(sink::changed);
                sink.synced();
                return () -> watching.remove(sink);
            }
        };
    }

    /** The store as one host has it, which is found out when it writes without the lease. */
    Journal journalOf(String host) {
        Journal shared = store;
        return new Journal() {
            @Override
            public void open(Table<?> table) {
                shared.open(table);
            }

            @Override
            public <R> CompletionStage<R> commit(Function<Transaction, R> change) {
                beforeCommit.accept(host);
                return shared.commit(tx -> {
                    R result = change.apply(tx);
                    if (!lease.holder().equals(host)) {
                        strangers.add(host);
                    }
                    return result;
                });
            }

            @Override
            public AutoCloseable watch(Table<?> table, Source.Sink sink) {
                return shared.watch(table, sink);
            }

            @Override
            public <R> R read(Function<Transaction, R> query) {
                R found = shared.read(query);
                afterRead.run();
                return found;
            }
        };
    }
}
