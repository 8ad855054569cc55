package io.enipam.examples.nodeipam.operate;

import io.enipam.examples.nodeipam.assign.NodeGroups;
import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.examples.nodeipam.blocks.Blocks;
import io.enipam.examples.nodeipam.blocks.Blocks.Holding;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Who has a range at one moment, in cells of equally many blocks. Immutable.
 *
 * @param blockLength length of each block's prefix
 * @param blocks how many there are
 * @param taken how many of them are
 * @param groups how many blocks each group has, by its name. A block that two groups have counts for both
 */
record RangeUse(
        String pool,
        Subnet range,
        int blockLength,
        int blocks,
        int taken,
        Map<String, Integer> groups,
        List<Cell> cells) {

    /**
     * Neighbouring blocks.
     *
     * @param first the first one
     * @param blocks how many
     * @param taken how many of them are
     * @param group which group has the most; empty if none has any
     */
    record Cell(Subnet first, int blocks, int taken, Optional<String> group) {}

    RangeUse {
        groups = Map.copyOf(groups);
        cells = List.copyOf(cells);
    }

    /**
     * Reads all ranges of all pools.
     *
     * @param mostCells of each range, a power of two
     */
    static List<RangeUse> of(Blocks blocks, NodeGroups groups, int mostCells) {
        List<RangeUse> all = new ArrayList<>();
        for (String pool : blocks.pools()) {
            blocks.read(pool, ranges -> {
                        List<RangeUse> uses = new ArrayList<>();
                        for (BlockRange range : ranges) {
                            uses.add(of(pool, range, blocks.overlapping(range.cidr()), groups, mostCells));
                        }
                        return uses;
                    })
                    .ifPresent(all::addAll);
        }
        return all;
    }

    private static RangeUse of(
            String pool, BlockRange range, List<Holding> holdings, NodeGroups groups, int mostCells) {
        int perCell = Math.max(1, range.size() / mostCells);
        List<Map<String, Integer>> counts = new ArrayList<>();
        for (int cell = 0; cell < range.size() / perCell; cell++) {
            counts.add(new HashMap<>());
        }
        Map<String, Integer> total = new HashMap<>();
        for (Holding holding : holdings) {
            String group = groups.of(holding.owner());
            int first = range.cidr().contains(holding.cidr().first())
                    ? range.index(holding.cidr().first())
                    : 0;
            int last = range.cidr().contains(holding.cidr().last())
                    ? range.index(holding.cidr().last())
                    : range.size() - 1;
            total.merge(group, last - first + 1, Integer::sum);
            for (int cell = first / perCell; cell <= last / perCell; cell++) {
                int from = Math.max(first, cell * perCell);
                int to = Math.min(last + 1, (cell + 1) * perCell);
                counts.get(cell).merge(group, to - from, Integer::sum);
            }
        }
        List<Cell> cells = new ArrayList<>();
        for (int cell = 0; cell < counts.size(); cell++) {
            int from = cell * perCell;
            cells.add(new Cell(range.block(from), perCell, range.taken(from, from + perCell), most(counts.get(cell))));
        }
        return new RangeUse(pool, range.cidr(), range.blockLength(), range.size(), range.taken(), total, cells);
    }

    /** Of two that have as many, the first by name. */
    private static Optional<String> most(Map<String, Integer> counts) {
        return new TreeMap<>(counts)
                .entrySet().stream()
                        .reduce((a, b) -> b.getValue() > a.getValue() ? b : a)
                        .map(Map.Entry::getKey);
    }

    int free() {
        return blocks - taken;
    }

    /** Such as {@code cluster-cidr 10.0.0.0/16 in blocks of /24}. */
    String title() {
        return pool + " " + range + " in blocks of /" + blockLength;
    }
}
