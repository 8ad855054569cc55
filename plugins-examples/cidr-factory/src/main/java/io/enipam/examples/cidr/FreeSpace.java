package io.enipam.examples.cidr;

import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The free addresses of one family, and whose turn it is. For one thread. */
final class FreeSpace {
    private final IpIntervals free;
    private final boolean lowestFirst;
    private @Nullable Ip lastTaken;

    /**
     * @param free becomes this object's own
     * @param lastTaken where a search goes on
     */
    FreeSpace(IpIntervals free, boolean lowestFirst, Optional<Ip> lastTaken) {
        this.free = free;
        this.lowestFirst = lowestFirst;
        this.lastTaken = lastTaken.orElse(null);
    }

    /** The address whose turn it is; it stays free. */
    Optional<Ip> next() {
        Optional<Ip> following = lowestFirst || lastTaken == null ? Optional.empty() : free.higher(lastTaken);
        return following.or(free::lowest);
    }

    /** An address was given: the search goes on behind it. */
    void take(Ip address) {
        free.remove(address);
        lastTaken = address;
    }

    /** An address is not to be given, and was not. */
    void bar(Ip address) {
        free.remove(address);
    }

    void giveBack(Ip address) {
        free.add(address);
    }

    BigInteger size() {
        return free.size();
    }

    BigInteger sizeWithin(Block block) {
        return block.count(free);
    }
}
