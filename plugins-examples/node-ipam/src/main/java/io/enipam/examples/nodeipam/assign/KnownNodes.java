package io.enipam.examples.nodeipam.assign;

import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Codec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import io.enipam.sdk.cluster.Patch;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The source of the nodes' keys, which keeps in memory who has which blocks: what the nodes' {@code podCIDRs} say, and what is under
 * way by the tables. A node's blocks are taken before its key is reported, so no block is given that another node has. Thread-safe.
 *
 * <p><b>Terms.</b> Each opening of the source is a term of its own, whose number is a row. It first writes the number, then forgets
 * what it knew, and reads the rows and the nodes. A reconcile reads the number in its transaction: one that began in an earlier term,
 * in this process or in another replica, conflicts with the new number, and commits nothing that the new term does not know of.
 *
 * <p><b>Up to date.</b> The copy of an informer may be seconds behind, and what a former leader wrote in them is missing. So each term
 * marks one node with an annotation, and tells no key before the watch has told that change: the watch tells all changes of nodes in
 * their order, so it has told all that came before.
 *
 * <p><b>Order.</b> What a node has is read from the informer and noted in one step under {@code lock}, here and in the reconciles, so
 * that what is older never takes the place of what is newer. The lock is held for microseconds and not while anything is asked.
 */
final class KnownNodes implements Source {
    static final Table<String> TERM = new Table<>("term", 1, Codec.text());
    private static final String NUMBER = "number";
    private static final long PATIENCE_SECONDS = 8;

    /** An annotation of one node. */
    static final String MARK = "enipam.io/node-ipam-term";

    /** So many nodes are tried: one may be gone, or another program refuse its change. */
    private static final int CANDIDATES = 5;

    private final Object lock = new Object();
    private final Journal journal;
    private final Cluster cluster;
    private final Informer nodes;
    private final Blocks blocks;
    private final NodeAllocator allocator;
    // all by the lock
    private final Map<String, Long> givenUp = new HashMap<>();
    /** The uid of the node that holds what the name holds. */
    private final Map<String, String> uids = new HashMap<>();

    private Optional<Opening> current = Optional.empty();

    KnownNodes(Journal journal, Cluster cluster, Informer nodes, Blocks blocks, NodeAllocator allocator) {
        this.journal = journal;
        this.cluster = cluster;
        this.nodes = nodes;
        this.blocks = blocks;
        this.allocator = allocator;
        journal.open(TERM);
        journal.open(UnderWay.TABLE);
    }

    @Override
    public String name() {
        return "nodes";
    }

    @Override
    public AutoCloseable open(Sink sink) throws FactoryException {
        long term = begun();
        Map<String, UnderWay> rows =
                journal.read(tx -> tx.scan(UnderWay.TABLE, "").collect(Collectors.toMap(Row::key, Row::value)));
        Opening opening = new Opening(term, rows, sink);
        synchronized (lock) {
            current = Optional.of(opening);
            givenUp.clear();
            uids.clear();
            blocks.releaseAll(Owner.Kind.NODE);
            rows.forEach((name, row) -> {
                blocks.hold(Owner.node(name), blocks(row));
                uids.put(name, row.uid());
            });
        }
        opening.source = Optional.of(nodes.source().open(opening));
        return opening::end;
    }

    private static List<Subnet> blocks(UnderWay row) {
        return row instanceof UnderWay.Assigning assigning ? assigning.blocks() : List.of();
    }

    /** Begins a term; returns its number. */
    private long begun() {
        try {
            return journal.commit(tx -> {
                        long number = number(tx) + 1;
                        tx.put(TERM, NUMBER, Long.toString(number));
                        return number;
                    })
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, "the term cannot be written: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted while the term was written", e);
        }
    }

    private static long number(Transaction tx) {
        return tx.get(TERM, NUMBER).map(row -> Long.parseLong(row.value())).orElse(0L);
    }

    /** One opening, and what its term is told. Its lock guards the fields that change. */
    private final class Opening implements Sink {
        private final long term;
        private final Sink sink;
        private final String mark;
        private final Map<String, UnderWay> rows;
        private final Set<String> held;
        private Phase phase = Phase.LISTING;
        private volatile Optional<AutoCloseable> source = Optional.empty();

        /** @param rows what was under way when the term began */
        Opening(long term, Map<String, UnderWay> rows, Sink sink) {
            this.term = term;
            this.rows = rows;
            this.held = new LinkedHashSet<>(rows.keySet());
            this.sink = sink;
            this.mark = term + "-" + UUID.randomUUID();
        }

        @Override
        public void changed(String key) {
            Optional<String> wrong = noted(key, this);
            if (wrong.isPresent() && allocator.strict() && is(Phase.LISTING)) {
                sink.lost(wrong.get());
                return;
            }
            boolean marked = nodes.get(key)
                    .filter(node -> mark.equals(node.annotations().get(MARK)))
                    .isPresent();
            Phase now = hold(key);
            if (now == Phase.CURRENT) {
                sink.changed(key);
            } else if (marked) {
                arrived();
            } else if (now == Phase.EMPTY) {
                mark();
            }
        }

        private synchronized Phase hold(String key) {
            if (phase != Phase.CURRENT) {
                held.add(key);
            }
            return phase;
        }

        @Override
        public void synced() {
            if (nodes.list().isEmpty()) {
                become(Phase.EMPTY);
                sink.synced(); // there is no node that could get anything
            } else {
                mark();
            }
        }

        private synchronized void become(Phase next) {
            if (phase != Phase.OVER) {
                phase = next;
            }
        }

        private void mark() {
            become(Phase.MARKING);
            mark(nodes.list().stream().limit(CANDIDATES).iterator());
        }

        private void mark(Iterator<ClusterObject> candidates) {
            if (!candidates.hasNext()) {
                sink.lost("whether all is known cannot be found out: no node can be marked");
                return;
            }
            ClusterObject node = candidates.next();
            Patch patch = Patch.merge(Map.of("metadata", Map.of("annotations", Map.of(MARK, mark))));
            cluster.patch(node.ref(), patch.ifSame(node)).thenAccept(reply -> {
                if (reply.is(ErrorKind.NOT_FOUND)
                        || reply.is(ErrorKind.CONFLICT)
                        || reply.is(ErrorKind.MISCONFIGURED)) {
                    mark(candidates);
                } else {
                    // where it was done, the watch tells the node
                    reply.failure()
                            .ifPresent(why -> sink.lost("whether all is known cannot be found out: " + why.message()));
                }
            });
        }

        private void arrived() {
            List<String> keys;
            synchronized (this) {
                if (phase == Phase.OVER) {
                    return;
                }
                phase = Phase.CURRENT;
                keys = List.copyOf(held);
                held.clear();
            }
            keys.forEach(sink::changed);
            sink.synced();
        }

        synchronized boolean is(Phase wanted) {
            return phase == wanted;
        }

        @Override
        public void lost(String why) {
            become(Phase.OVER);
            sink.lost(why);
        }

        void end() throws Exception {
            become(Phase.OVER);
            if (source.isPresent()) {
                source.get().close();
            }
        }
    }

    private enum Phase {
        LISTING,
        /** There was no node. */
        EMPTY,
        /** A node was marked, and the watch has not told it. */
        MARKING,
        CURRENT,
        OVER
    }

    /** Notes what a node has, if it exists and has something. */
    private Optional<String> noted(String name, Opening opening) {
        synchronized (lock) {
            Optional<ClusterObject> node = current.filter(now -> now == opening).flatMap(now -> nodes.get(name));
            Optional<UnderWay> row = Optional.ofNullable(opening.rows.get(name));
            if (node.isPresent() && row.isPresent() && !opening.is(Phase.CURRENT)) {
                // the row may be newer than the copy: both count until the node is reconciled
                List<Subnet> both = new ArrayList<>(blocks(row.get()));
                both.addAll(PodCidrs.of(node.get()).blocks());
                blocks.hold(Owner.node(name), both);
                return Optional.empty();
            }
            return node.flatMap(this::noted);
        }
    }

    /** By the lock. */
    private Optional<String> noted(ClusterObject node) {
        String name = node.name();
        if (!node.uid().equals(uids.put(name, node.uid()))) {
            allocator.release(name); // of an earlier node of the name, to which nothing can be written any more
        }
        PodCidrs has = PodCidrs.of(node);
        if (has.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> outside = allocator.occupy(node, has.blocks());
        givenUp.remove(name);
        return has.problem().isPresent() ? has.problem() : outside;
    }

    /** A decision about a node, with what it has noted and unchanged meanwhile; must be quick. */
    <T> T decide(String name, Function<Optional<ClusterObject>, T> decision) {
        synchronized (lock) {
            Optional<ClusterObject> node = nodes.get(name);
            node.ifPresentOrElse(this::noted, () -> {
                allocator.release(name);
                givenUp.remove(name);
                uids.remove(name);
            });
            return decision.apply(node);
        }
    }

    /** The number of the term, once all nodes are known: before that nothing is given, and nothing written. */
    Optional<Long> term() {
        synchronized (lock) {
            return current.filter(now -> now.is(Phase.CURRENT)).map(now -> now.term);
        }
    }

    /** The number of the term, if the transaction is of it. */
    Optional<Long> term(Transaction tx) {
        long number = number(tx);
        synchronized (lock) {
            return current.map(now -> now.term).filter(term -> term == number);
        }
    }

    /** Another replica has begun a term: what is known here may be old. */
    void overtaken() {
        Optional<Opening> now;
        synchronized (lock) {
            now = current;
        }
        now.ifPresent(opening -> opening.lost("another replica gives blocks as well"));
    }

    /**
     * The blocks of a row are given up: they certainly are not written to the node, and will not be.
     *
     * @param revision of the row
     */
    void giveUp(String name, long revision) {
        synchronized (lock) {
            givenUp.put(name, revision);
        }
    }

    /** The same of the row that a node has now; returns whether there is one with blocks. */
    boolean giveUp(String name) {
        Optional<Row<UnderWay>> row = journal.read(tx -> tx.get(UnderWay.TABLE, name))
                .filter(its -> its.value() instanceof UnderWay.Assigning);
        row.ifPresent(its -> giveUp(name, its.revision()));
        return row.isPresent();
    }

    /** Whether the blocks of a row are given up. */
    boolean isGivenUp(Row<UnderWay> row) {
        synchronized (lock) {
            return Long.valueOf(row.revision()).equals(givenUp.get(row.key()));
        }
    }

    /** A node has the blocks of its row, and no others; by {@link #decide}. */
    void hold(String name, UnderWay.Assigning assigning) {
        blocks.hold(Owner.node(name), assigning.blocks());
    }

    /** Frees the blocks that were given up, once; by {@link #decide}, when the table does not have them any more. */
    boolean freeGivenUp(String name) {
        synchronized (lock) {
            return givenUp.remove(name) != null && allocator.release(name);
        }
    }

    /**
     * Who else has blocks of a node: another node that has them for certain, or services.
     *
     * @return empty if there is none
     */
    Optional<Owner> other(String name, UnderWay.Assigning assigning) {
        return assigning.blocks().stream()
                .flatMap(block -> blocks.overlapping(block).stream())
                .map(Blocks.Holding::owner)
                .filter(owner -> !owner.equals(Owner.node(name)))
                .filter(owner -> owner.kind() == Owner.Kind.SERVICES
                        || nodes.get(owner.name())
                                .filter(node -> !PodCidrs.of(node).isEmpty())
                                .isPresent())
                .findFirst();
    }
}
