package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.sdk.Meter;
import io.enipam.sdk.Signals;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;

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
    private final Set<Key> shown = new HashSet<>(); // by this
    private final Map<Key, BlockRange.Counts> counted = new HashMap<>(); // by this

    private record Key(String pool, String cidr) {}

    RangeMeters(Signals signals, Blocks blocks) {
        this.signals = signals;
        this.blocks = blocks;
    }

    /** Shows all until the part is closed. */
    void show(IntSupplier waiting) {
        signals.gauge(WAITING, () -> {
            showRanges();
            return waiting.getAsInt();
        });
        showRanges();
    }

    private synchronized void showRanges() {
        Set<Key> there = new HashSet<>();
        for (String pool : blocks.pools()) {
            for (BlockRange.Counts counts : counts(pool)) {
                Key key = new Key(pool, counts.cidr().toString());
                if (shown.add(key)) {
                    signals.gauge(USAGE, () -> usage(key), key.cidr(), pool);
                    signals.gauge(MOST, () -> most(key), key.cidr(), pool);
                }
                count(key, counts);
                there.add(key);
            }
        }
        counted.keySet().retainAll(there);
    }

    private List<BlockRange.Counts> counts(String pool) {
        return blocks.read(
                        pool, ranges -> ranges.stream().map(BlockRange::counts).toList())
                .orElse(List.of());
    }

    private Optional<BlockRange.Counts> counts(Key key) {
        return counts(key.pool()).stream()
                .filter(counts -> counts.cidr().toString().equals(key.cidr()))
                .findFirst();
    }

    /** Not a number where the range is gone. */
    private double usage(Key key) {
        return counts(key)
                .map(counts -> (double) counts.taken() / counts.size())
                .orElse(Double.NaN);
    }

    private double most(Key key) {
        return counts(key).map(counts -> (double) counts.size()).orElse(Double.NaN);
    }

    /** Adds what has come since the last time; a range that was removed and added again begins anew. */
    private void count(Key key, BlockRange.Counts now) {
        BlockRange.Counts before = Optional.ofNullable(counted.put(key, now))
                .orElseGet(() -> new BlockRange.Counts(now.cidr(), now.size(), 0, 0, 0, 0));
        signals.counter(ALLOCATIONS, key.cidr(), key.pool()).add(now.allocations() - before.allocations());
        signals.counter(RELEASES, key.cidr(), key.pool()).add(now.releases() - before.releases());
        signals.counter(TRIES, key.cidr(), key.pool()).add(now.tries() - before.tries());
    }
}
