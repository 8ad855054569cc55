package io.enipam.datapath;

import io.enipam.datapath.SandboxConnector.OwnerLocks;
import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds in the kernel what is ours and has no record: links, and rules whose link is gone. Blocks. Thread-safe. */
final class RecordRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(RecordRecovery.class);

    private final AttachmentRecordStore records;
    private final LinkContext node;
    private final List<LinkKind> kinds;
    private final OwnerLocks locks;

    private volatile boolean done;
    private volatile Set<String> traces = Set.of();

    RecordRecovery(AttachmentRecordStore records, LinkContext node, List<LinkKind> kinds, OwnerLocks locks) {
        this.records = records;
        this.node = node;
        this.kinds = kinds;
        this.locks = locks;
    }

    /** Runs unless it has run before. */
    void runOnce() {
        if (!done) {
            synchronized (this) {
                if (!done) {
                    run();
                }
            }
        }
    }

    /** Recovers lost records from links, and returns the state of the kernel. */
    synchronized NetnsSnapshot run() {
        NetnsSnapshot snapshot = NetnsSnapshot.of(node.runner(), "");
        for (NetnsSnapshot.Link link : snapshot.links()) {
            LinkAlias.parse(link.alias()).ifPresent(alias -> recognise(alias, link, snapshot));
        }
        traces = snapshot.rules().stream()
                .filter(rule -> rule.protocol().equals(Batch.PROTOCOL) && rule.detached())
                .map(NetnsSnapshot.Rule::link)
                .collect(Collectors.toSet());
        done = true;
        return snapshot;
    }

    /** The names of links that were gone at the last look, and whose rules were not. */
    Set<String> traces() {
        return traces;
    }

    private void recognise(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot snapshot) {
        locks.holding(alias.owner(), () -> {
            // since the look at the kernel it may have been disconnected
            if (records.of(alias.owner()).isEmpty()
                    && node.links().macOf(link.name()).equals(link.mac())) {
                kinds.stream()
                        .flatMap(kind -> kind.recoverRecord(alias, link, snapshot).stream())
                        .findFirst()
                        .ifPresent(record -> {
                            LOG.info("{} is {}'s, whose record is lost", link.name(), alias.owner());
                            records.write(record);
                        });
            }
            return null;
        });
    }
}
