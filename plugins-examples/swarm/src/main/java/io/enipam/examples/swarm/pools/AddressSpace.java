package io.enipam.examples.swarm.pools;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Subnets of which none overlaps another one: those that networks ask for, and for others the next one of the default pools, which are used
 * in turn like libnetwork's: one that came back is given again when all others have had their turn. Not thread-safe.
 */
public final class AddressSpace implements PoolSource {
    private static final String OVERLAP = "Pool overlaps with other one on this address space";

    private final List<Base> bases;
    private final long count;
    private final TreeMap<Ip, Live> live = new TreeMap<>();
    /** What these cover, so that any number of neighbours is passed over at once. */
    private final IpIntervals covered = new IpIntervals();

    private final Turns turns;
    private long next;

    /** A network of default pools. */
    private record Base(Subnet network, int length) {
        long count() {
            return 1L << length - network.length();
        }

        /** The index of the first pool behind one that is not covered whole; the count if there is none. */
        long firstWithGap(IpIntervals covered, Subnet pool) {
            return pool.last()
                    .plus(1)
                    .flatMap(behind -> covered.firstGap(behind, network.last()))
                    .map(gap -> gap.value()
                            .subtract(network.first().value())
                            .shiftRight(network.family().bits() - length))
                    .map(BigInteger::longValueExact)
                    .orElse(count());
        }
    }

    /** A subnet in use, and by which ranges of it. */
    private record Live(Subnet subnet, AddressPool.Held held, Set<Optional<Subnet>> ranges) {}

    /**
     * @param pools networks that are split into subnets
     * @param length of the subnets' prefixes
     * @throws AllocationException if one is no network, or the subnets do not fit into it
     */
    public AddressSpace(List<String> pools, int length) {
        this(pools, length, new Turns());
    }

    public AddressSpace(List<String> pools, int length, Turns turns) {
        this.turns = turns;
        List<Base> read = new ArrayList<>();
        for (String pool : pools) {
            Subnet network;
            try {
                network = Subnet.parse(pool).network();
            } catch (IllegalArgumentException e) {
                throw new AllocationException(
                        ErrorKind.MISCONFIGURED, "invalid base pool \"" + pool + "\": " + e.getMessage());
            }
            int most = network.family().bits();
            if (length <= 0 || length < network.length() || length > most || length - network.length() > Integer.SIZE) {
                throw new AllocationException(ErrorKind.MISCONFIGURED, "invalid pools size: " + length);
            }
            read.add(new Base(network, length));
        }
        bases = List.copyOf(read);
        count = bases.stream().mapToLong(Base::count).sum();
    }

    @Override
    public AddressPool request(String subnet, String range, Map<String, String> options) {
        if (subnet.isEmpty() && !range.isEmpty()) {
            throw unreadable(subnet, range, "invalid address subpool");
        }
        if (subnet.isEmpty()) {
            return add(nextDefault(), Optional.empty());
        }
        Subnet network = read(subnet).orElseThrow(() -> unreadable(subnet, range, "invalid address pool"));
        Optional<Subnet> part = range.isEmpty() ? Optional.empty() : read(range);
        if (!range.isEmpty() && part.isEmpty()) {
            throw unreadable(subnet, range, "invalid address subpool");
        }
        // one that is wider is the subnet
        return add(network, part.filter(wanted -> wanted.length() > network.length()));
    }

    private static Optional<Subnet> read(String text) {
        try {
            return Optional.of(Subnet.parse(text).network());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static AllocationException unreadable(String subnet, String range, String why) {
        return new AllocationException(
                ErrorKind.MISCONFIGURED,
                "failed to parse pool request for address space \"GlobalDefault\" pool \"" + subnet + "\" subpool \""
                        + range + "\": " + why);
    }

    private AddressPool add(Subnet subnet, Optional<Subnet> range) {
        if (range.filter(part -> !subnet.contains(part.first())).isPresent()) {
            throw unreadable(subnet.toString(), range.get().toString(), "invalid address subpool");
        }
        Live there = overlapping(subnet)
                .orElseGet(() -> new Live(subnet, new AddressPool.Held(subnet, turns), new HashSet<>()));
        boolean shared = there.subnet.equals(subnet) && (there.ranges.isEmpty() || range.isPresent());
        if (!shared || !there.ranges.add(range)) {
            throw new AllocationException(ErrorKind.CONFLICT, OVERLAP);
        }
        live.put(subnet.first(), there);
        covered.add(subnet.first(), subnet.last());
        return new AddressPool(subnet, range, there.held);
    }

    private Optional<Live> overlapping(Subnet subnet) {
        return Optional.ofNullable(live.floorEntry(subnet.last()))
                .map(Map.Entry::getValue)
                .filter(last -> last.subnet.last().compareTo(subnet.first()) >= 0);
    }

    private Subnet nextDefault() {
        long passed = 0;
        while (passed < count) {
            long at = (next + passed) % count;
            Place place = place(at);
            Subnet candidate = place.base.network.part(place.base.length, place.index);
            if (overlapping(candidate).isEmpty()) {
                long now = next;
                turns.changes(this, () -> next = now);
                next = (at + 1) % count;
                return candidate;
            }
            passed += place.base.firstWithGap(covered, candidate) - place.index;
        }
        throw new AllocationException(
                ErrorKind.ADDRESSES_EXHAUSTED,
                "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network");
    }

    @Override
    public void turnsOf(PoolSource before) {
        if (before instanceof AddressSpace other) {
            next = other.next % count;
            live.forEach((first, there) -> Optional.ofNullable(other.live.get(first))
                    .filter(same -> same.subnet.equals(there.subnet))
                    .ifPresent(same -> there.held.turnOf(same.held)));
        }
    }

    private record Place(Base base, long index) {}

    private Place place(long position) {
        long index = position;
        for (Base base : bases) {
            if (index < base.count()) {
                return new Place(base, index);
            }
            index -= base.count();
        }
        throw new IllegalStateException("there are " + count + " default pools, and no number " + position);
    }

    @Override
    public void release(AddressPool pool) {
        Optional.ofNullable(live.get(pool.subnet().first()))
                .filter(there -> there.subnet.equals(pool.subnet()) && there.ranges.remove(pool.range()))
                .filter(there -> there.ranges.isEmpty())
                .ifPresent(there -> {
                    live.remove(there.subnet.first());
                    covered.remove(there.subnet.first(), there.subnet.last());
                });
    }

    /** How many subnets are in use. */
    public int taken() {
        return live.size();
    }
}
