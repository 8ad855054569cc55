package io.enipam.node.overrides;

import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.port.ResourceDb;
import java.time.Duration;

/** Terway's {@code ip_warm_up_size}: a node that is new gets its first pods in a rush, and shall have their addresses before. */
public final class WarmUp {
    /** How long what it made is kept whatever the watermarks say. */
    public static final Duration KEPT = Duration.ofMinutes(30);

    private WarmUp() {}

    /**
     * Orders it on the first start of a node: one whose database has never been settled. A later start goes on with what is left of
     * the order, as with every other.
     *
     * @param idle how many shall be idle once; 0 for none
     * @param contents of the database, as it was opened
     */
    public static void onFirstStart(int idle, ResourceDb.Contents contents, CapacityOverrides orders) {
        boolean first = contents.node().isEmpty() && contents.leases().isEmpty();
        if (idle > 0 && first && orders.inForce().kind() == CapacityOverride.Kind.NONE) {
            orders.apply(orders.warm(idle, KEPT), "ip_warm_up_size");
        }
    }
}
