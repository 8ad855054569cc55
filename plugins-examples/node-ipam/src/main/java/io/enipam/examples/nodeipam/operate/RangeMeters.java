package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.sdk.Meter;
import io.enipam.sdk.Signals;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The numbers of each range, under the names of the controller manager as far as a plugin's metrics allow. A range that comes later,
 * of a ClusterCIDR, is shown with the next reading. Thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/reference/instrumentation/metrics/">node_ipam_controller_cidrset_*</a>
 */
final class RangeMeters {
    private static final String CIDR = "cluster_cidr";
    private static final String NAME = "cluster_cidr_name";

    static final Meter USAGE =
            Meter.of("cidrset_usage_cidrs", "Which part of a range's blocks is taken, 0 to 1.", CIDR, NAME);
    static final Meter MOST = Meter.of("cidrset_max_cidrs", "How many blocks a range has.", CIDR, NAME);
    static final Meter ALLOCATIONS = Meter.of(
            "cidrset_cidrs_allocations",
            "Blocks of a range that were taken, those of nodes at a start included.",
            CIDR,
            NAME);
    static final Meter RELEASES = Meter.of("cidrset_cidrs_releases", "Blocks of a range that were freed.", CIDR, NAME);
    static final Meter TRIES = Meter.of(
            "cidrset_allocation_tries", "Taken blocks that were passed over in search of free ones.", CIDR, NAME);
    static final Meter WAITING = Meter.of("waiting_nodes", "Nodes for which there are no blocks.");

    private final Signals signals;
    private final Blocks blocks;
    private final Supplier<Blocks> current;
    private final Set<Key> shown = new HashSet<>(); // by this
    private final Map<Key, BlockRange.Counts> counted = new HashMap<>(); // by this
    private Map<Key, BlockRange.Counts> now = Map.of(); // by this

    private record Key(String pool, String cidr) {}

    /**
     * @param blocks those that the controller has in memory, whose changes are counted
     * @param current those that nodes have, as far as this replica knows: of one that does not lead, others
     */
    RangeMeters(Signals signals, Blocks blocks, Supplier<Blocks> current) {
        this.signals = signals;
        this.blocks = blocks;
        this.current = current;
    }

    /** Shows all until the part is closed. */
    void show(IntSupplier waiting) {
        signals.gauge(WAITING, () -> {
            read();
            return waiting.getAsInt();
        });
    }

    private synchronized void read() {
        now = counts(current.get());
        for (Key key : now.keySet()) {
            if (shown.add(key)) {
                signals.gauge(USAGE, () -> usage(key), key.cidr(), key.pool());
                signals.gauge(MOST, () -> most(key), key.cidr(), key.pool());
            }
        }
        Map<Key, BlockRange.Counts> changes = counts(blocks);
        changes.forEach(this::count);
        counted.keySet().retainAll(changes.keySet());
    }

    private static Map<Key, BlockRange.Counts> counts(Blocks of) {
        Map<Key, BlockRange.Counts> all = new LinkedHashMap<>();
        for (String pool : of.pools()) {
            of.read(pool, ranges -> ranges.stream().map(BlockRange::counts).toList())
                    .orElse(List.of())
                    .forEach(counts -> all.put(new Key(pool, counts.cidr().toString()), counts));
        }
        return all;
    }

    /** Not a number where the range is gone. */
    private synchronized double usage(Key key) {
        BlockRange.Counts counts = now.get(key);
        return counts == null ? Double.NaN : (double) counts.taken() / counts.size();
    }

    private synchronized double most(Key key) {
        BlockRange.Counts counts = now.get(key);
        return counts == null ? Double.NaN : counts.size();
    }

    /** Adds what has come since the last time; a range that was removed and added again begins anew. */
    private void count(Key key, BlockRange.Counts after) {
        BlockRange.Counts before = Optional.ofNullable(counted.put(key, after))
                .orElseGet(() -> new BlockRange.Counts(after.cidr(), after.size(), 0, 0, 0, 0));
        signals.counter(ALLOCATIONS, key.cidr(), key.pool()).add(after.allocations() - before.allocations());
        signals.counter(RELEASES, key.cidr(), key.pool()).add(after.releases() - before.releases());
        signals.counter(TRIES, key.cidr(), key.pool()).add(after.tries() - before.tries());
    }
}
