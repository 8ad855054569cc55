package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
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

    private final DefaultPools defaults;
    private final TreeMap<Ip, Live> live = new TreeMap<>();
    /** What these cover, so that any number of neighbours is passed over at once. */
    private final IpIntervals covered = new IpIntervals();

    private final Turns turns;
    /** The default pool that was given last. */
    private Optional<Subnet> last = Optional.empty();

    /** A subnet in use, and by which ranges of it. */
    private record Live(Subnet subnet, AddressPool.Held held, Set<Optional<Subnet>> ranges) {}

    /**
     * @param pools networks that are split into subnets
     * @param length of the subnets' prefixes
     * @throws Refused if one is no network, or the subnets do not fit into it
     */
    public AddressSpace(List<String> pools, int length) {
        this(pools, length, new Turns());
    }

    public AddressSpace(List<String> pools, int length, Turns turns) {
        this.turns = turns;
        defaults = new DefaultPools(pools.stream()
                .map(pool -> new DefaultPools.Base(base(pool), length))
                .toList());
    }

    private static Subnet base(String pool) {
        try {
            return Subnet.parse(pool).network();
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("invalid base pool \"" + pool + "\": " + e.getMessage());
        }
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

    private static Refused unreadable(String subnet, String range, String why) {
        return Refused.invalid("failed to parse pool request for address space \"GlobalDefault\" pool \"" + subnet
                + "\" subpool \"" + range + "\": " + why);
    }

    private AddressPool add(Subnet subnet, Optional<Subnet> range) {
        if (range.filter(part -> !subnet.contains(part.first())).isPresent()) {
            throw unreadable(subnet.toString(), range.get().toString(), "invalid address subpool");
        }
        Live there = overlapping(subnet)
                .orElseGet(() -> new Live(subnet, new AddressPool.Held(subnet, turns), new HashSet<>()));
        boolean shared = there.subnet.equals(subnet) && (there.ranges.isEmpty() || range.isPresent());
        if (!shared || !there.ranges.add(range)) {
            throw Refused.conflict(OVERLAP);
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
        Optional<Subnet> before = last;
        Subnet next = defaults.next(covered, last)
                .orElseThrow(
                        () -> Refused.exhausted(
                                "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network"));
        turns.changes(this, () -> last = before);
        last = Optional.of(next);
        return next;
    }

    @Override
    public void turnsOf(PoolSource before) {
        if (before instanceof AddressSpace other) {
            last = other.last;
            live.forEach((first, there) -> Optional.ofNullable(other.live.get(first))
                    .filter(same -> same.subnet.equals(there.subnet))
                    .ifPresent(same -> there.held.turnOf(same.held)));
        }
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
