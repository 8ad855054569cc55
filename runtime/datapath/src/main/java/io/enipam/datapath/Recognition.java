package io.enipam.datapath;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Snapshot;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.Node;
import io.enipam.datapath.record.Alias;
import io.enipam.datapath.record.RecordFiles;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds in the kernel what is ours and has no record: links, and rules whose link is gone. Blocks. Thread-safe. */
final class Recognition {
    private static final Logger LOG = LoggerFactory.getLogger(Recognition.class);

    private final RecordFiles records;
    private final Node node;
    private final List<LinkKind> kinds;
    private final Locks locks;

    private volatile boolean done;
    private volatile Set<String> traces = Set.of();

    Recognition(RecordFiles records, Node node, List<LinkKind> kinds, Locks locks) {
        this.records = records;
        this.node = node;
        this.kinds = kinds;
        this.locks = locks;
    }

    /** Looks, if nobody did yet. */
    void once() {
        if (!done) {
            firstTime();
        }
    }

    private synchronized void firstTime() {
        if (!done) {
            now();
        }
    }

    /** Makes records of links of ours that have none, and tells what the kernel has. */
    synchronized Snapshot now() {
        Snapshot snapshot = Snapshot.of(node.runner(), "");
        for (Snapshot.Link link : snapshot.links()) {
            Alias.parse(link.alias()).ifPresent(alias -> recognise(alias, link, snapshot));
        }
        traces = snapshot.rules().stream()
                .filter(rule -> rule.protocol().equals(Batch.PROTOCOL) && rule.detached())
                .map(Snapshot.Rule::link)
                .collect(Collectors.toSet());
        done = true;
        return snapshot;
    }

    /** The names of links that were gone at the last look, and whose rules were not. */
    Set<String> traces() {
        return traces;
    }

    private void recognise(Alias alias, Snapshot.Link link, Snapshot snapshot) {
        Lock lock = locks.of(alias.owner());
        lock.lock();
        try {
            // since the look at the kernel it may have been disconnected
            if (records.of(alias.owner()).isEmpty()
                    && node.links().macOf(link.name()).equals(link.mac())) {
                kinds.stream()
                        .flatMap(kind -> kind.recognised(alias, link, snapshot).stream())
                        .findFirst()
                        .ifPresent(record -> {
                            LOG.info("{} is {}'s, whose record is lost", link.name(), alias.owner());
                            records.write(record);
                        });
            }
        } finally {
            lock.unlock();
        }
    }
}
