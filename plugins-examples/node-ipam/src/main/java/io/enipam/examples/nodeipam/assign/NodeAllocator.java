package io.enipam.examples.nodeipam.assign;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.ranges.Subnet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides which blocks a node gets. Thread-safe; each method is quick and makes no request. */
public interface NodeAllocator {
    /** What a node gets. */
    sealed interface Proposal {
        /**
         * Blocks that the node holds from now on; the same ones when it is asked again.
         *
         * @param blocks in the order of {@code spec.podCIDRs}
         */
        record Blocks(List<Subnet> blocks) implements Proposal {
            public Blocks {
                blocks = List.copyOf(blocks);
            }
        }

        /**
         * There are none for it now.
         *
         * @param why which range is full, how many blocks it has and who has them, or that none is for this node; for an operator, one
         *     line, and the same for as long as the reason is
         * @param full the ranges without a free block
         * @param reason of the event that tells it
         */
        record Unavailable(String why, List<BlockRange> full, NodeEvents.Reason reason) implements Proposal {
            public Unavailable {
                full = List.copyOf(full);
            }

            public Unavailable(String why, BlockRange... full) {
                this(why, List.of(full), NodeEvents.Reason.CIDR_NOT_AVAILABLE);
            }
        }
    }

    /** Finds blocks for a node that has none. */
    Proposal propose(ClusterObject node);

    /**
     * Notes what a node has, in the place of what it had before.
     *
     * @param blocks its {@code spec.podCIDRs}
     * @return what is wrong with them, such as being outside of all ranges; they count as taken nevertheless
     */
    Optional<String> occupy(ClusterObject node, List<Subnet> blocks);

    /** Notes that a node has nothing any more. Returns whether it had something. */
    boolean release(String node);

    /**
     * The ranges by their pools' names, with nothing taken, as an operator is to see them: the same on each replica, whether it leads or
     * not.
     */
    Map<String, List<BlockRange>> pools();

    /**
     * Whether a node whose blocks are wrong keeps all others from getting theirs, if it has them when the controller begins: they are
     * of another configuration, as likely as not.
     */
    default boolean strict() {
        return false;
    }

    /** The objects that the ranges come from, if it is such. */
    default Optional<RangeObjects> objects() {
        return Optional.empty();
    }
}
