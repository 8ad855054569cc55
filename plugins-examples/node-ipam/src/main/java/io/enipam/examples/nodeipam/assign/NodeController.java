package io.enipam.examples.nodeipam.assign;

import io.enipam.examples.nodeipam.assign.NodeAllocator.Proposal;
import io.enipam.examples.nodeipam.assign.UnderWay.Assigning;
import io.enipam.examples.nodeipam.assign.UnderWay.Failed;
import io.enipam.examples.nodeipam.assign.UnderWay.Waiting;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Host;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Gives each node without blocks those that the allocator proposes, and writes them to the node. The API server is the truth, the
 * table has what is under way ({@link UnderWay}), and memory has both ({@link KnownNodes}). Thread-safe.
 *
 * <p>What keeps a block from being given twice:
 *
 * <ul>
 *   <li>Memory has a proposal before its row is committed, and until the table certainly does not have it any more.
 *   <li>A row is given up only when its blocks certainly are not written: a patch without an answer, or one that an earlier leader may
 *       have sent, keeps them, and is sent again until the node has blocks or is gone. A patch twice does no harm.
 *   <li>A node's blocks are free when the node is gone, not when it is being deleted: its pods still run. So are those that memory
 *       has of a commit that failed, whatever becomes of the node: where the tables are in etcd, it may come to pass later.
 *   <li>A patch names the node's uid, and blocks that a node has the API server does not change.
 * </ul>
 */
public final class NodeController {
    /** A node that waits is tried again after that, whatever is freed. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);
    /** For as long a node's event is not told again, unless the reason is another one. */
    private static final Duration TELL_AGAIN = Duration.ofMinutes(10);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 8;

    private final Informer nodes;
    private final Blocks blocks;
    private final NodeAllocator allocator;
    private final WaitingNodes waiting;
    private final KnownNodes known;
    private final NodeWriter writer;
    private final Clock clock;

    /**
     * @param nodes closed by the caller
     * @param blocks those that the allocator gives
     * @param waiting told by the allocator as well
     * @param retries how often a patch is tried before the blocks are given up, 1 or more
     */
    public NodeController(
            Host host,
            Cluster cluster,
            Informer nodes,
            Blocks blocks,
            NodeAllocator allocator,
            WaitingNodes waiting,
            int retries) {
        this.nodes = nodes;
        this.blocks = blocks;
        this.allocator = allocator;
        this.waiting = waiting;
        this.clock = host.clock();
        this.known = new KnownNodes(host.journal(), cluster, nodes, blocks, allocator);
        this.writer = new NodeWriter(host.journal(), cluster, nodes, known, waiting, retries);
    }

    /** As {@link io.enipam.sdk.Controller#watches}. */
    public List<Source> watches() {
        List<Source> sources = new ArrayList<>(List.of(known, waiting));
        allocator.objects().ifPresent(objects -> sources.add(objects.source()));
        return sources;
    }

    /** As {@link io.enipam.sdk.Controller#reconcile}. */
    public Next reconcile(String key, Transaction tx) {
        Optional<RangeObjects> objects = objects(key);
        if (objects.isPresent()) {
            return objects.get().reconcile(key.substring(key.indexOf('/') + 1), tx);
        }
        Optional<Long> term = known.term(tx);
        if (term.isEmpty()) {
            known.overtaken();
            return Next.retry(ErrorKind.CONFLICT, "another replica gives blocks as well");
        }
        Optional<Row<UnderWay>> row = tx.get(UnderWay.TABLE, key);
        return known.decide(key, node -> decision(key, node, row, term.get())).in(tx);
    }

    private Optional<RangeObjects> objects(String key) {
        return allocator.objects().filter(objects -> key.startsWith(objects.prefix() + "/"));
    }

    /** What a decision writes. */
    private interface Decision {
        Next in(Transaction tx);
    }

    /** In one step with what is known of the node; makes no request and reads no table. */
    private Decision decision(String name, Optional<ClusterObject> node, Optional<Row<UnderWay>> row, long term) {
        Optional<UnderWay> state = row.map(Row::value);
        if (node.isEmpty()) {
            waiting.remove(name);
            return tx -> deleted(name, state, true, tx);
        }
        ClusterObject here = node.get();
        PodCidrs has = PodCidrs.of(here);
        if (!has.isEmpty()) {
            waiting.remove(name);
            boolean others = state.isPresent()
                    && !(state.get() instanceof Assigning found
                            && found.blocks().equals(has.blocks()));
            return tx -> deleted(name, state, others, tx);
        }
        Optional<UnderWay> own = state.filter(its -> its.uid().equals(here.uid()));
        if (own.isPresent() && own.get() instanceof Assigning assigning) {
            return assigning(here, row.get(), assigning, term);
        }
        if (here.deletion().isPresent()) {
            waiting.remove(name);
            return tx -> deleted(name, state, false, tx);
        }
        boolean freed = (state.isPresent() && own.isEmpty())
                || (own.isPresent() && own.get() instanceof Failed && known.freeGivenUp(name));
        Decision proposed = proposed(here, own, term);
        return tx -> {
            if (freed) {
                waiting.blocksFreed();
            }
            return proposed.in(tx);
        };
    }

    /** @param freed whether memory has let go blocks of the node */
    private Next deleted(String name, Optional<UnderWay> state, boolean freed, Transaction tx) {
        if (state.isPresent()) {
            tx.delete(UnderWay.TABLE, name);
        }
        if (freed) {
            waiting.blocksFreed();
        }
        return Next.done();
    }

    /** Blocks are about to be written. */
    private Decision assigning(ClusterObject node, Row<UnderWay> row, Assigning assigning, long term) {
        if (known.isGivenUp(row)) {
            int failures = assigning.failures() + 1;
            Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
            return tx -> {
                tx.put(UnderWay.TABLE, node.name(), new Failed(node.uid(), failures));
                return Next.again(pause, "its blocks could not be written");
            };
        }
        if (assigning.term() == term) {
            return tx -> Next.done();
        }
        known.hold(node.name(), assigning);
        Assigning again = new Assigning(node.uid(), assigning.blocks(), term, true, assigning.failures());
        return tx -> assigned(node, again, tx);
    }

    private Decision proposed(ClusterObject node, Optional<UnderWay> state, long term) {
        int failures = state.filter(Failed.class::isInstance)
                .map(its -> ((Failed) its).failures())
                .orElse(0);
        Proposal proposal = allocator.propose(node);
        if (proposal instanceof Proposal.Blocks found) {
            waiting.remove(node.name());
            return tx -> assigned(node, new Assigning(node.uid(), found.blocks(), term, false, failures), tx);
        }
        Proposal.Unavailable unavailable = (Proposal.Unavailable) proposal;
        String why = unavailable.why();
        waiting.add(node.name());
        Instant now = clock.instant();
        // whose the blocks are is no reason to tell it again
        boolean toldAlready = state.filter(Waiting.class::isInstance)
                .map(Waiting.class::cast)
                .filter(its ->
                        its.why().equals(why) && its.told().plus(TELL_AGAIN).isAfter(now))
                .isPresent();
        return tx -> {
            if (!toldAlready) {
                Waiting told = new Waiting(node.uid(), why, shares(unavailable.full()), now);
                tx.put(UnderWay.TABLE, node.name(), told);
                tx.effect(NodeWriter.REPORT, node.uid(), NodeEvents.text(unavailable.reason(), told.text()));
            }
            return Next.again(LOOK_AGAIN, why);
        };
    }

    private String shares(List<BlockRange> full) {
        NodeGroups groups = NodeGroups.of(full.isEmpty() ? List.of() : nodes.list(), "");
        return full.stream().map(range -> groups.shares(range, blocks)).collect(Collectors.joining());
    }

    private static Next assigned(ClusterObject node, Assigning assigning, Transaction tx) {
        tx.put(UnderWay.TABLE, node.name(), assigning);
        tx.effect(NodeWriter.ASSIGN, node.uid(), "");
        return Next.done();
    }

    /** As {@link io.enipam.sdk.Controller#perform}. */
    public CompletionStage<EffectResult> perform(Effect effect) {
        String key = effect.key().orElseThrow();
        Optional<RangeObjects> objects = objects(key);
        return objects.isPresent() ? objects.get().perform(effect) : writer.perform(key, effect);
    }

    /**
     * Gives up the blocks of a node to which they are about to be written, as an operator asks who knows that they are not: the next
     * reconcile frees them.
     *
     * @return whether there are such
     */
    public boolean giveUp(String node) {
        boolean assigning = known.giveUp(node);
        if (assigning) {
            waiting.tell(List.of(node));
        }
        return assigning;
    }

    /** Whether all nodes are known: before that none gets anything. */
    public boolean complete() {
        return known.term().isPresent();
    }
}
