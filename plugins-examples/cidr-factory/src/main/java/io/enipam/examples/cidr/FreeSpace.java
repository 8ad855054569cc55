package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressSeqRangeList;
import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The free addresses of one family as intervals: as many as there are gaps between those in use, whatever the size of the
 * ranges. The next free one is found by a binary search over the gaps. For one thread.
 */
final class FreeSpace {
    private final IPAddressSeqRangeList free;
    private final boolean lowestFirst;
    private @Nullable IPAddress lastTaken;

    /**
     * @param free becomes this object's own
     * @param lastTaken where a search goes on
     */
    FreeSpace(IPAddressSeqRangeList free, boolean lowestFirst, Optional<IPAddress> lastTaken) {
        this.free = free;
        this.lowestFirst = lowestFirst;
        this.lastTaken = lastTaken.orElse(null);
    }

    /** The address whose turn it is; it stays free. */
    Optional<IPAddress> next() {
        if (free.isEmpty()) {
            return Optional.empty();
        }
        IPAddress following = lowestFirst || lastTaken == null ? null : free.higher(lastTaken);
        return Optional.of((following == null ? free.getLower() : following).withoutPrefixLength());
    }

    /** An address was given: the search goes on behind it. */
    void take(IPAddress address) {
        free.remove(address);
        lastTaken = address;
    }

    /** An address is not to be given, and was not. */
    void bar(IPAddress address) {
        free.remove(address);
    }

    void giveBack(IPAddress address) {
        free.add(address);
    }

    BigInteger size() {
        return free.getCount();
    }

    BigInteger sizeWithin(Block block) {
        return count(free, block);
    }

    /** How many of a block's addresses are in a list. */
    static BigInteger count(IPAddressSeqRangeList addresses, Block block) {
        IPAddressSeqRangeList part = addresses.clone();
        part.intersect(block.addresses());
        return part.getCount();
    }
}
