package io.enipam.datapath;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.datapath.record.SandboxLinkNames;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.PodRef;
import java.net.InetAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects and disconnects sandboxes, whatever kind their links are. Blocks. Thread-safe: different owners go in parallel. */
final class SandboxConnector {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxConnector.class);

    /** How long a connection is new. */
    private static final long NEW = TimeUnit.SECONDS.toNanos(60);

    private final AttachmentRecordStore records;
    private final LinkContext node;
    private final List<LinkKind> kinds;
    private final OwnerLocks locks = new OwnerLocks();
    private final RecordRecovery recognition;
    private final RouteTableUsers users;
    /** Held exclusively by a sweep of leftovers and shared by connects, so that a sweep removes nothing that a connect has just made. */
    private final ReadWriteLock sweep = new ReentrantReadWriteLock();

    private final Map<OwnerKey, Long> made = new ConcurrentHashMap<>();

    SandboxConnector(AttachmentRecordStore records, LinkContext node, List<LinkKind> kinds) {
        this.records = records;
        this.node = node;
        this.kinds = kinds;
        this.recognition = new RecordRecovery(records, node, kinds, locks);
        this.users = new RouteTableUsers(records);
    }

    DatapathResult setUp(DatapathRequest connection) {
        recognition.runOnce();
        LinkKind kind = kinds.stream()
                .filter(one -> one.serves(connection))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "there is no way to connect a pod by a "
                                + connection.lease().resource().kind() + " and a link of type "
                                + connection.link().type(),
                        "look at eniip_virtual_type and at the daemon's mode"));
        OwnerKey owner = connection.lease().owner();
        sweep.readLock().lock();
        try {
            return locks.holding(owner, () -> {
                AttachmentRecord record = kind.design(connection, node);
                records.of(owner).filter(before -> !before.hasLinksOf(record)).ifPresent(this::remove);
                users.acquire(record);
                made.put(owner, System.nanoTime());
                try {
                    kind.connect(record, node);
                } catch (RuntimeException e) {
                    undo(record, e);
                    throw clearer(record, e);
                }
                return kind.wiring(record);
            });
        } finally {
            sweep.readLock().unlock();
        }
    }

    /** If the namespace ended in the middle, its links are gone: the error names the namespace instead of them. */
    private static RuntimeException clearer(AttachmentRecord record, RuntimeException why) {
        String objection = record.netns().isEmpty() ? "" : Netns.objection(record.netns());
        return objection.isEmpty() || String.valueOf(why.getMessage()).contains(record.netns())
                ? why
                : new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        "the network namespace " + record.netns() + " went away while the pod was being connected ("
                                + objection + "): " + why.getMessage(),
                        "the runtime has ended the sandbox; it makes another one if the pod is still wanted",
                        why);
    }

    private void undo(AttachmentRecord record, RuntimeException why) {
        try {
            remove(record);
        } catch (RuntimeException e) {
            LOG.warn("what was done for {} cannot be undone yet: {}", record.key(), e.getMessage());
            why.addSuppressed(e);
        }
    }

    void tearDown(OwnerKey owner) {
        recognition.runOnce();
        boolean removed = locks.holding(owner, () -> {
            Optional<AttachmentRecord> record = records.of(owner);
            record.ifPresent(this::remove);
            return record.isPresent();
        });
        if (!removed) {
            // without link and record an owner may still have rules, which name its former link
            String end = new SandboxLinkNames(owner).digits();
            if (recognition.traces().stream().anyMatch(link -> link.endsWith(end))) {
                sweep(left -> left.ofLink(end));
            }
        }
    }

    /**
     * Removes the chosen leftovers while no sandbox is being connected: otherwise a rule or table that is a leftover in the snapshot
     * could be a pod's at the removal. The caller must not hold an owner's lock.
     */
    Leftovers sweep(UnaryOperator<Leftovers> chosen) {
        sweep.writeLock().lock();
        try {
            Leftovers left = chosen.apply(leftovers(recoverRecords()));
            node.runner().run(left.removal());
            return left;
        } finally {
            sweep.writeLock().unlock();
        }
    }

    /** Whether it was connected just now, so that the request for its removal may be older. */
    boolean isNew(OwnerKey owner) {
        Long since = made.get(owner);
        return since != null && System.nanoTime() - since < NEW;
    }

    /**
     * Brings the limits and the UID of a connection in line. What cannot be done leaves the record as it was. Returns
     * whether a limit was changed; false if there is no such connection.
     */
    boolean adjust(Lease lease, PodNetworkSpec spec) {
        OwnerKey owner = lease.owner();
        if (records.of(owner).filter(record -> differs(record, lease, spec)).isEmpty()) {
            return false;
        }
        return locks.holding(owner, () -> {
            // disconnected or made anew meanwhile
            Optional<AttachmentRecord> found = records.of(owner).filter(record -> differs(record, lease, spec));
            if (found.isEmpty()) {
                return false;
            }
            AttachmentRecord before = found.get();
            AttachmentRecord after = before.adjusted(lease.podUid(), spec);
            LinkKind kind = kind(after);
            kind.connect(after, node);
            if (before.ingress() > 0
                    && after.ingress() == 0
                    && !after.hostLink().isEmpty()) {
                node.runner().run(Batch.here().tcIfThere("qdisc del dev " + after.hostLink() + " root"));
            }
            if (before.egress() > 0 && after.egress() == 0) {
                Batch pod = Batch.in(after.netns());
                kind.limitedInPod(after).forEach(link -> pod.tcIfThere("qdisc del dev " + link + " root"));
                node.runner().run(pod);
            }
            records.write(after);
            return before.ingress() != after.ingress() || before.egress() != after.egress();
        });
    }

    /** A connection whose record was lost has no known namespace and is not adjusted. */
    private static boolean differs(AttachmentRecord record, Lease lease, PodNetworkSpec spec) {
        return !record.netns().isEmpty()
                && record.podRef().equals(lease.pod())
                && !record.adjusted(lease.podUid(), spec).equals(record);
    }

    private void remove(AttachmentRecord record) {
        users.release(record, staying -> kind(record).disconnect(record, node, staying));
        made.remove(record.key());
    }

    /** The kind of a record. Throws IpamException if this version does not know it. */
    LinkKind kind(AttachmentRecord record) {
        return kinds.stream()
                .filter(kind -> kind.name().equals(record.kind()))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.DATAPATH_FAILED,
                        record.key() + " was connected by a link of kind '" + record.kind()
                                + "', which this version does not know",
                        "a newer enipam made it: run that one, or remove the pod and its record"));
    }

    List<Attachment> attached() {
        NetnsSnapshot snapshot = recoverRecords();
        return records.all().stream()
                .flatMap(record -> kind(record).reachableAddresses(record, snapshot).stream()
                        .map(addresses -> attachment(record, addresses)))
                .toList();
    }

    private static Attachment attachment(AttachmentRecord record, Set<InetAddress> addresses) {
        Optional<PodRef> pod = Optional.of(record.podRef())
                .filter(known -> !record.sandbox().pod().isEmpty());
        return new Attachment(record.key(), pod, record.sandbox().podUid(), addresses);
    }

    /** Recovers lost records from links, and returns the state of the kernel. */
    NetnsSnapshot recoverRecords() {
        return recognition.run();
    }

    /** The rules and tables of the node that belong to no connection. */
    Leftovers leftovers(NetnsSnapshot snapshot) {
        Collection<AttachmentRecord> all = records.all();
        return Leftovers.of(
                snapshot,
                all.stream()
                        .flatMap(record -> kind(record).expectation(record, node).rules().stream())
                        .toList(),
                all.stream().map(AttachmentRecord::table).collect(Collectors.toSet()));
    }

    LinkContext node() {
        return node;
    }

    AttachmentRecordStore records() {
        return records;
    }

    OwnerLocks locks() {
        return locks;
    }

    /** Of one whose lock is held: makes again what can be made while the pod runs. */
    void mend(AttachmentRecord record) {
        kind(record).connect(record, node);
    }

    /** A lock for each owner; a few may share one. Thread-safe. */
    static final class OwnerLocks {
        private final List<Lock> locks =
                Stream.<Lock>generate(ReentrantLock::new).limit(256).toList();

        /** Does the work while it holds the owner's lock. */
        <T> T holding(OwnerKey owner, Supplier<T> work) {
            return holding(of(owner), work);
        }

        Lock of(OwnerKey owner) {
            return locks.get(Math.floorMod(owner.hashCode(), locks.size()));
        }

        static <T> T holding(Lock lock, Supplier<T> work) {
            lock.lock();
            try {
                return work.get();
            } finally {
                lock.unlock();
            }
        }
    }
}
