package io.enipam.examples.swarm.pools;

import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Places;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalInt;

/** A set of addresses of one subnet. Not thread-safe. */
sealed interface TakenAddresses {
    /** A subnet of 2^20 addresses needs 128 KB, whatever is taken of it. */
    int MOST_HOST_BITS = 20;

    /** Returns whether it was not there. */
    boolean add(Ip address);

    /** Has no effect if it is not there. */
    void remove(Ip address);

    /** The lowest address between two, both included, that is not there. */
    Optional<Ip> firstFree(Ip from, Ip to);

    /** How many addresses of a part of the subnet are not there. */
    BigInteger free(Subnet part);

    static TakenAddresses of(Subnet subnet) {
        int hostBits = subnet.address().family().bits() - subnet.length();
        return hostBits <= MOST_HOST_BITS ? new Bits(subnet.first(), new Places(1 << hostBits)) : new Gaps();
    }

    private static BigInteger size(Subnet part) {
        return BigInteger.ONE.shiftLeft(part.address().family().bits() - part.length());
    }

    /** A bit for each address: of as many levels as the subnet is large. */
    record Bits(Ip base, Places places) implements TakenAddresses {
        private int place(Ip address) {
            return address.value().subtract(base.value()).intValueExact();
        }

        @Override
        public boolean add(Ip address) {
            return places.take(place(address));
        }

        @Override
        public void remove(Ip address) {
            places.free(place(address));
        }

        @Override
        public Optional<Ip> firstFree(Ip from, Ip to) {
            OptionalInt found = places.nextFree(place(from));
            return found.isPresent() && found.getAsInt() <= place(to) ? base.plus(found.getAsInt()) : Optional.empty();
        }

        @Override
        public BigInteger free(Subnet part) {
            return size(part).subtract(BigInteger.valueOf(places.taken(place(part.first()), place(part.last()) + 1)));
        }
    }

    /** As intervals: where a bit for each address would be too many, as in most IPv6 subnets. */
    final class Gaps implements TakenAddresses {
        private final IpIntervals taken = new IpIntervals();

        @Override
        public boolean add(Ip address) {
            if (taken.contains(address)) {
                return false;
            }
            taken.add(address);
            return true;
        }

        @Override
        public void remove(Ip address) {
            taken.remove(address);
        }

        @Override
        public Optional<Ip> firstFree(Ip from, Ip to) {
            return taken.firstGap(from, to);
        }

        @Override
        public BigInteger free(Subnet part) {
            return size(part).subtract(taken.size(part.first(), part.last()));
        }
    }
}
