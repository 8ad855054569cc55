package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * The subnets that networks get which name none, in turn like libnetwork's: one that came back is given again when all others have had
 * their turn. Subnets that are covered whole are passed over at once. Immutable.
 *
 * @param bases in their order
 */
public record DefaultPools(List<Base> bases) {
    public DefaultPools {
        bases = List.copyOf(bases);
    }

    /**
     * A network that is split into subnets.
     *
     * @param network without host bits
     * @param length of the subnets' prefixes, at most {@link Integer#SIZE} longer than the network's
     */
    public record Base(Subnet network, int length) {
        /** @throws Refused if the subnets do not fit into the network, or are too many */
        public Base {
            int most = Math.min(network.family().bits(), network.length() + Integer.SIZE);
            if (length <= 0 || length < network.length() || length > most) {
                throw Refused.invalid("invalid pools size: " + length);
            }
        }

        private long count() {
            return 1L << length - network.length();
        }

        private Subnet at(long index) {
            return network.part(length, index);
        }

        private boolean has(Subnet pool) {
            return pool.length() == length && network.contains(pool.first());
        }

        /** The index of the one with an address. */
        private long index(BigInteger address) {
            return address.subtract(network.first().value())
                    .shiftRight(network.family().bits() - length)
                    .longValueExact();
        }

        /** The index of the first pool behind one that is not covered whole; the count if there is none. */
        private long firstWithGap(IpIntervals covered, Subnet pool) {
            return pool.last()
                    .plus(1)
                    .flatMap(behind -> covered.firstGap(behind, network.last()))
                    .map(gap -> index(gap.value()))
                    .orElse(count());
        }
    }

    /** Those of one family. */
    public DefaultPools of(Family family) {
        return new DefaultPools(
                bases.stream().filter(base -> base.network().family() == family).toList());
    }

    /**
     * The first one behind another of which nothing is used, and behind the last one the first.
     *
     * @param used addresses
     * @param last the one that was chosen before; if it is empty, or none of these, the search begins with the first
     * @return empty if something is used of each
     */
    public Optional<Subnet> next(IpIntervals used, Optional<Subnet> last) {
        long count = bases.stream().mapToLong(Base::count).sum();
        long start = last.map(this::behind).orElse(0L);
        long passed = 0;
        while (passed < count) {
            long at = (start + passed) % count;
            for (Base base : bases) {
                if (at >= base.count()) {
                    at -= base.count();
                    continue;
                }
                Subnet pool = base.at(at);
                boolean free = !used.contains(pool.first())
                        && used.higher(pool.first()).filter(pool::contains).isEmpty();
                if (free) {
                    return Optional.of(pool);
                }
                passed += base.firstWithGap(used, pool) - at;
                break;
            }
        }
        return Optional.empty();
    }

    private long behind(Subnet pool) {
        long before = 0;
        for (Base base : bases) {
            if (base.has(pool)) {
                return before + base.index(pool.first().value()) + 1;
            }
            before += base.count();
        }
        return 0;
    }
}
