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
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The source of the nodes' keys, which keeps in memory who has which blocks: what the nodes' {@code podCIDRs} say, and what is under
 * way by the tables. A node's blocks are taken before its key is told, so no block is given that another node has. Thread-safe.
 *
 * <p><b>Terms.</b> Each opening of the source is a term of its own, whose number is a row. It first writes the number, then forgets
 * what it knew, and reads the rows and the nodes. A reconcile reads the number in its transaction: one that began in an earlier term,
 * in this process or in another replica, conflicts with the new number, and commits nothing that the new term does not know of.
 *
 * <p><b>Order.</b> What a node has is read from the informer and noted in one step under {@code lock}, here and in the reconciles, so
 * that what is older never takes the place of what is newer. The lock is held for microseconds and not while anything is asked.
 */
final class KnownNodes implements Source {
    static final Table<String> TERM = new Table<>("term", 1, Codec.text());
    private static final String NUMBER = "number";
    private static final long PATIENCE_SECONDS = 8;

    private final Object lock = new Object();
    private final Journal journal;
    private final Informer nodes;
    private final Blocks blocks;
    private final NodeAllocator allocator;
    // all by the lock
    private final Map<String, String> problems = new TreeMap<>();
    private final Map<String, Long> givenUp = new HashMap<>();
    /** The uid of the node that holds what the name holds. */
    private final Map<String, String> uids = new HashMap<>();

    private Optional<Opening> current = Optional.empty();

    KnownNodes(Journal journal, Informer nodes, Blocks blocks, NodeAllocator allocator) {
        this.journal = journal;
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
        Opening opening = new Opening(begun(), sink);
        List<Row<UnderWay>> rows =
                journal.read(tx -> tx.scan(UnderWay.TABLE, "").toList());
        synchronized (lock) {
            current = Optional.of(opening);
            problems.clear();
            givenUp.clear();
            uids.clear();
            blocks.releaseAll(Owner.Kind.NODE);
            rows.forEach(row -> {
                if (row.value() instanceof UnderWay.Assigning assigning) {
                    blocks.hold(Owner.node(row.key()), assigning.blocks());
                    uids.put(row.key(), assigning.uid());
                }
            });
        }
        rows.forEach(row -> sink.changed(row.key()));
        opening.nodes = Optional.of(nodes.source().open(opening));
        return opening;
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

    /** One opening. */
    private final class Opening implements Sink, AutoCloseable {
        private final long term;
        private final Sink sink;
        private volatile Optional<AutoCloseable> nodes = Optional.empty();
        private volatile boolean synced;

        Opening(long term, Sink sink) {
            this.term = term;
            this.sink = sink;
        }

        @Override
        public void changed(String key) {
            Optional<String> wrong = noted(key, this);
            if (wrong.isPresent() && !synced && allocator.strict()) {
                sink.lost(wrong.get());
            } else {
                sink.changed(key);
            }
        }

        @Override
        public void synced() {
            synced = true;
            sink.synced();
        }

        @Override
        public void lost(String why) {
            synced = false;
            sink.lost(why);
        }

        @Override
        public void close() throws Exception {
            synced = false;
            if (nodes.isPresent()) {
                nodes.get().close();
            }
        }
    }

    /** Notes what a node has, if it exists and has something. */
    private Optional<String> noted(String name, Opening opening) {
        synchronized (lock) {
            boolean over = current.filter(now -> now == opening).isEmpty();
            return over ? Optional.empty() : nodes.get(name).flatMap(this::noted);
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
        Optional<String> wrong = has.problem().isPresent() ? has.problem() : outside;
        wrong.ifPresentOrElse(why -> problems.put(name, why), () -> problems.remove(name));
        givenUp.remove(name);
        return wrong;
    }

    /** A decision about a node, with what it has noted and unchanged meanwhile; must be quick. */
    <T> T decide(String name, Function<Optional<ClusterObject>, T> decision) {
        synchronized (lock) {
            Optional<ClusterObject> node = nodes.get(name);
            node.ifPresentOrElse(this::noted, () -> {
                allocator.release(name);
                problems.remove(name);
                givenUp.remove(name);
                uids.remove(name);
            });
            return decision.apply(node);
        }
    }

    /** The number of the term, once all nodes are known: before that nothing is given, and nothing written. */
    Optional<Long> term() {
        synchronized (lock) {
            return current.filter(now -> now.synced).map(now -> now.term);
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

    /** What is wrong with the blocks that nodes have, by node. */
    Map<String, String> problems() {
        synchronized (lock) {
            return new TreeMap<>(problems);
        }
    }
}
