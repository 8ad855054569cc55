package io.enipam.examples.nodeipam.blocks;

import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Who has which addresses, and what is therefore free in each pool. A pool is what a node gets its blocks from: the cluster CIDRs of
 * a cluster, or those of one {@code ClusterCIDR}; it has one range, or one of each family. Pools may overlap. Thread-safe.
 *
 * <p>What an owner holds is taken in every pool that it overlaps, whatever its size; a block that two owners hold (a cluster that was
 * misconfigured before) is free when both have let it go. All counts follow from what the owners hold: there is nothing to keep in step.
 */
public final class Blocks {
    private static final Comparator<Owner> BY_KIND =
            Comparator.comparing(Owner::kind).thenComparing(Owner::name);

    // all by this
    private final Map<String, List<BlockRange>> pools = new LinkedHashMap<>();
    private final Map<Owner, List<Subnet>> held = new HashMap<>();
    /** Sets that do not change, sorted: mostly of one. */
    private final NavigableMap<Subnet, Set<Owner>> owners = new TreeMap<>(Blocks::order);

    /** What an owner asked for. */
    public sealed interface Allocation {
        /**
         * One block of each range of the pool, in the pool's order.
         *
         * @param passed how many blocks were passed over because they are taken already, for all ranges together
         */
        record Granted(List<Subnet> blocks, int passed) implements Allocation {
            public Granted {
                blocks = List.copyOf(blocks);
            }
        }

        /** A range of the pool has no free block; nothing was taken of the others. */
        record Exhausted(BlockRange range) implements Allocation {}
    }

    /** Addresses and who has them. */
    public record Holding(Subnet cidr, Owner owner) {}

    /**
     * Adds a pool, or does nothing if it is there: what owners hold already is taken in it.
     *
     * @param ranges one, or one of each family
     */
    public synchronized void add(String pool, List<BlockRange> ranges) {
        if (pools.putIfAbsent(pool, List.copyOf(ranges)) == null) {
            for (BlockRange range : ranges) {
                overlapping(range.cidr()).forEach(holding -> range.occupy(holding.cidr()));
            }
        }
    }

    /** Removes a pool. What was given from it stays with its owners. */
    public synchronized void remove(String pool) {
        pools.remove(pool);
    }

    /** Notes what an owner holds, in the place of what it held before. Returns whether that is something else. */
    public synchronized boolean hold(Owner owner, Collection<Subnet> cidrs) {
        List<Subnet> now = cidrs.stream().map(Subnet::network).distinct().toList();
        List<Subnet> before = held.getOrDefault(owner, List.of());
        if (now.equals(before)) {
            return false;
        }
        // first what is new, so that no one gets in between what an owner keeps
        now.stream().filter(cidr -> !before.contains(cidr)).forEach(cidr -> take(owner, cidr));
        before.stream().filter(cidr -> !now.contains(cidr)).forEach(cidr -> letGo(owner, cidr));
        if (now.isEmpty()) {
            held.remove(owner);
        } else {
            held.put(owner, now);
        }
        return true;
    }

    /** An owner holds nothing any more. Returns whether it held something. */
    public boolean release(Owner owner) {
        return hold(owner, List.of());
    }

    /** All owners of a kind hold nothing any more. */
    public synchronized void releaseAll(Owner.Kind kind) {
        List.copyOf(held.keySet()).stream()
                .filter(owner -> owner.kind() == kind)
                .forEach(this::release);
    }

    /** What an owner holds. */
    public synchronized List<Subnet> heldBy(Owner owner) {
        return held.getOrDefault(owner, List.of());
    }

    /**
     * Gives an owner that holds nothing a free block of each range of a pool: of all ranges, or of none.
     *
     * @throws IllegalArgumentException if there is no such pool, or the owner holds something
     */
    public synchronized Allocation allocate(Owner owner, String pool) {
        List<BlockRange> ranges = pools.get(pool);
        if (ranges == null || held.containsKey(owner)) {
            throw new IllegalArgumentException(
                    ranges == null ? "there is no pool " + pool : owner + " holds " + held.get(owner));
        }
        Optional<BlockRange> full =
                ranges.stream().filter(range -> range.taken() == range.size()).findFirst();
        if (full.isPresent()) {
            return new Allocation.Exhausted(full.get());
        }
        List<Subnet> blocks = new ArrayList<>(ranges.size());
        int passed = 0;
        for (BlockRange range : ranges) {
            BlockRange.Taken taken = range.takeNext().orElseThrow();
            blocks.add(taken.block());
            passed += taken.passed();
            take(owner, taken.block());
        }
        List<Subnet> given = List.copyOf(blocks);
        held.put(owner, given);
        return new Allocation.Granted(given, passed);
    }

    /** Who has the blocks of a range in which none is free, such as {@code nodes have 3, services 1}. */
    public synchronized String sharers(BlockRange full) {
        int services = touchedBy(Owner.Kind.SERVICES, full);
        int routes = touchedBy(Owner.Kind.ROUTES, full);
        return "nodes have " + (full.size() - services - routes) + ", services " + services
                + (routes == 0 ? "" : ", and routes to nodes that are gone " + routes);
    }

    private int touchedBy(Owner.Kind kind, BlockRange range) {
        return held.entrySet().stream()
                .filter(each -> each.getKey().kind() == kind)
                .flatMap(each -> each.getValue().stream())
                .mapToInt(range::touched)
                .sum();
    }

    /** Who has addresses that are in a subnet, or around it; ascending. */
    public synchronized List<Holding> overlapping(Subnet cidr) {
        List<Holding> found = new ArrayList<>();
        Subnet network = cidr.network();
        for (int length = 0; length < network.length(); length++) {
            collect(new Subnet(network.address(), length).network(), found);
        }
        owners.subMap(
                        network,
                        true,
                        new Subnet(network.last(), network.address().family().bits()),
                        true)
                .keySet()
                .forEach(inside -> collect(inside, found));
        return found;
    }

    private void collect(Subnet cidr, List<Holding> found) {
        owners.getOrDefault(cidr, Set.of()).forEach(owner -> found.add(new Holding(cidr, owner)));
    }

    /**
     * Reads a pool: its ranges, for as long as the function runs and without a change meanwhile.
     *
     * @return empty if there is no such pool
     */
    public synchronized <T> Optional<T> read(String pool, Function<List<BlockRange>, T> reader) {
        return Optional.ofNullable(pools.get(pool)).map(reader);
    }

    /** The pools' names, in the order in which they were added. */
    public synchronized List<String> pools() {
        return List.copyOf(pools.keySet());
    }

    /** All that is held, ascending. */
    public synchronized List<Holding> all() {
        List<Holding> all = new ArrayList<>();
        owners.keySet().forEach(cidr -> collect(cidr, all));
        return all;
    }

    private static int order(Subnet one, Subnet other) {
        int addresses = one.address().compareTo(other.address());
        return addresses != 0 ? addresses : Integer.compare(one.length(), other.length());
    }

    private void take(Owner owner, Subnet cidr) {
        owners.merge(cidr, Set.of(owner), (some, one) -> {
            Set<Owner> more = new TreeSet<>(BY_KIND);
            more.addAll(some);
            more.add(owner);
            return more;
        });
        around(cidr, range -> range.occupy(cidr));
    }

    private void letGo(Owner owner, Subnet cidr) {
        owners.computeIfPresent(cidr, (same, all) -> {
            Set<Owner> rest = new TreeSet<>(BY_KIND);
            rest.addAll(all);
            rest.remove(owner);
            return rest.isEmpty() ? null : rest;
        });
        around(cidr, range -> range.release(cidr));
        // a block of a range may be larger than what was let go: whatever is left in the blocks that it touches is
        // taken still
        around(
                cidr,
                range -> overlapping(touched(range, cidr)).forEach(left -> {
                    if (range.overlaps(left.cidr())) {
                        range.occupy(left.cidr());
                    }
                }));
    }

    /** The blocks that a subnet touches, as one subnet. */
    private static Subnet touched(BlockRange range, Subnet cidr) {
        return cidr.length() > range.blockLength() ? new Subnet(cidr.address(), range.blockLength()).network() : cidr;
    }

    private void around(Subnet cidr, Consumer<BlockRange> change) {
        for (List<BlockRange> ranges : pools.values()) {
            for (BlockRange range : ranges) {
                if (range.overlaps(cidr)) {
                    change.accept(range);
                }
            }
        }
    }
}
