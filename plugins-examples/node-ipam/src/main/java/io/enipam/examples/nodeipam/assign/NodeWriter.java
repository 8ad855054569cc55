package io.enipam.examples.nodeipam.assign;

import static io.enipam.examples.nodeipam.assign.NodeEvents.Reason.CIDR_ASSIGNMENT_FAILED;

import io.enipam.examples.nodeipam.assign.UnderWay.Assigning;
import io.enipam.examples.nodeipam.blocks.Owner;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Row;
import io.enipam.sdk.cluster.Cluster;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.Informer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Writes to nodes what was decided about them: their blocks, and events. Thread-safe. */
final class NodeWriter {
    /** Writes the blocks of the node's row. */
    static final String ASSIGN = "assign";
    /** Tells that there are none for the node; the arguments are the event ({@link NodeEvents#text}). */
    static final String REPORT = "report";

    private final Journal journal;
    private final Cluster cluster;
    private final Informer nodes;
    private final KnownNodes known;
    private final WaitingNodes waiting;
    private final int retries;
    private final Map<String, Tries> tries = new ConcurrentHashMap<>();
    private final NodeEvents events;

    NodeWriter(Journal journal, Cluster cluster, Informer nodes, KnownNodes known, WaitingNodes waiting, int retries) {
        this.journal = journal;
        this.cluster = cluster;
        this.nodes = nodes;
        this.known = known;
        this.waiting = waiting;
        this.retries = retries;
        this.events = new NodeEvents(cluster);
    }

    /**
     * How the patches of a row went.
     *
     * @param revision of the row
     * @param failed how many in a row, since the last event
     * @param unsure whether one of them may have been done
     */
    private record Tries(long revision, int failed, boolean unsure) {
        Tries and(boolean unknown) {
            return new Tries(revision, failed + 1, unsure || unknown);
        }
    }

    /** @param name the node's */
    CompletionStage<EffectResult> perform(String name, Effect effect) {
        Optional<Long> term = known.term();
        if (term.isEmpty()) {
            return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, "not all nodes are known yet"));
        }
        Optional<ClusterObject> node = nodes.get(name).filter(now -> now.uid().equals(effect.token()));
        if (effect.handler().equals(REPORT)) {
            return events.perform(node, effect.arguments());
        }
        Optional<Row<UnderWay>> row = journal.read(tx -> tx.get(UnderWay.TABLE, name));
        boolean due = node.filter(now -> PodCidrs.of(now).isEmpty()).isPresent()
                && row.filter(its -> its.value() instanceof Assigning assigning
                                && assigning.uid().equals(effect.token()))
                        .isPresent();
        if (!due) {
            tries.remove(name); // the node has blocks or is another one, which its reconcile finds out as well
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        Assigning assigning = (Assigning) row.get().value();
        if (term.get() != assigning.term()) {
            // the reconcile that takes the row over writes the effect again, and knows then that this one may have been
            // performed
            return CompletableFuture.completedStage(EffectResult.performed());
        }
        return write(node.get(), row.get(), assigning);
    }

    private CompletionStage<EffectResult> write(ClusterObject node, Row<UnderWay> row, Assigning assigning) {
        Optional<Owner> other = known.other(node.name(), assigning);
        if (other.isPresent()) {
            // whatever became of the patches so far: a block that another one has is not kept for this node
            return givenUp(node, row, assigning.blocks() + " overlaps what " + other.get() + " has");
        }
        return cluster.patch(node.ref(), PodCidrs.patch(node, assigning.blocks()))
                .thenCompose(reply -> reply.failure().isEmpty()
                        ? written(node.name())
                        : notWritten(node, row, assigning, reply.failure().get()));
    }

    private CompletionStage<EffectResult> written(String name) {
        tries.remove(name);
        return CompletableFuture.completedStage(EffectResult.performed());
    }

    private CompletionStage<EffectResult> notWritten(
            ClusterObject node, Row<UnderWay> row, Assigning assigning, Failed why) {
        boolean counts = why.kind() != ErrorKind.NOT_FOUND && why.kind() != ErrorKind.THROTTLED && cluster.leads();
        if (!counts) {
            return CompletableFuture.completedStage(
                    why); // nothing was tried, or the watch is about to tell that the node is gone
        }
        Tries now = tries.compute(
                node.name(),
                (name, before) -> (before == null || before.revision() != row.revision()
                                ? new Tries(row.revision(), 0, assigning.unsure())
                                : before)
                        .and(why.kind() == ErrorKind.DEADLINE_EXCEEDED));
        if (now.failed() < retries) {
            return CompletableFuture.completedStage(why);
        }
        if (!now.unsure()) {
            return givenUp(node, row, why.message());
        }
        tries.put(node.name(), new Tries(row.revision(), 0, true));
        return events.report(node, CIDR_ASSIGNMENT_FAILED, assigning.blocks() + " is kept for it: " + why.message())
                .thenApply(told -> why);
    }

    private CompletionStage<EffectResult> givenUp(ClusterObject node, Row<UnderWay> row, String why) {
        tries.remove(node.name());
        return events.report(node, CIDR_ASSIGNMENT_FAILED, why).thenApply(told -> {
            known.giveUp(node.name(), row.revision());
            waiting.tell(List.of(node.name()));
            return EffectResult.performed();
        });
    }
}
