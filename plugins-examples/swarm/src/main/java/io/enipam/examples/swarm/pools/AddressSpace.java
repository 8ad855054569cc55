package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Subnets in use: those that networks ask for, and for others the next one of the default pools, which are used in turn like libnetwork's:
 * one that came back is given again when all others have had their turn. Not thread-safe.
 *
 * <p>None overlaps another one that was there before it, unless it is asked for with a range: libnetwork then looks for the same subnet
 * alone, with which the range shares its addresses, and lets it lie over any other one.
 */
public final class AddressSpace implements PoolSource {
    private static final String OVERLAP = "Pool overlaps with other one on this address space";

    private final DefaultPools defaults;
    private final Map<Subnet, Live> live = new HashMap<>();
    /** What these cover, so that any number of neighbours is passed over at once. */
    private IpIntervals covered = new IpIntervals();

    /** How many of these lie over others that were there before them. */
    private int above;

    private final Turns turns;
    /** The default pool that was given last. */
    private Optional<Subnet> last = Optional.empty();

    /**
     * A subnet in use.
     *
     * @param ranges of it, by which it is; empty for all of it
     * @param above whether it lay over another one when it came
     */
    private record Live(AddressPool.Held held, Set<Optional<Subnet>> ranges, boolean above) {}

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
        Live there = live.get(subnet);
        if (there == null) {
            boolean over = covers(subnet);
            if (over && range.isEmpty()) {
                throw Refused.conflict(OVERLAP);
            }
            there = new Live(new AddressPool.Held(subnet, turns), new HashSet<>(), over);
            live.put(subnet, there);
            covered.add(subnet.first(), subnet.last());
            above += over ? 1 : 0;
        } else if (range.isEmpty() || there.ranges.contains(range)) {
            throw Refused.conflict(OVERLAP);
        }
        there.ranges.add(range);
        return new AddressPool(subnet, range, there.held);
    }

    /** Whether something of a subnet is in use. */
    private boolean covers(Subnet subnet) {
        return covered.contains(subnet.first())
                || covered.higher(subnet.first()).filter(subnet::contains).isPresent();
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
            live.forEach((subnet, there) ->
                    Optional.ofNullable(other.live.get(subnet)).ifPresent(same -> there.held.turnOf(same.held)));
        }
    }

    @Override
    public void release(AddressPool pool) {
        Subnet subnet = pool.subnet();
        Live there = live.get(subnet);
        if (there == null || !there.ranges.remove(pool.range()) || !there.ranges.isEmpty()) {
            return;
        }
        live.remove(subnet);
        if (above == 0) {
            covered.remove(subnet.first(), subnet.last());
            return;
        }
        // what others cover as well stays covered
        covered = new IpIntervals();
        live.keySet().forEach(other -> covered.add(other.first(), other.last()));
        above -= there.above ? 1 : 0;
    }

    /** How many subnets are in use. */
    public int taken() {
        return live.size();
    }
}
