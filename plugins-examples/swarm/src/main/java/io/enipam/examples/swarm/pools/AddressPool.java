package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.pools.AllocationException.Reason;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.Subnet;
import java.util.Optional;

/**
 * The addresses of a subnet, or of a range of it. The next one is searched behind the one that was found last, so an address that came back
 * is given again when all others have had their turn; what the subnet holds costs nothing. Not thread-safe.
 */
public final class AddressPool {
    private final Subnet subnet;
    private final Optional<Subnet> range;
    private final Held held;

    /** What is held of a subnet, by all pools of it. */
    static final class Held {
        private final IpIntervals reserved = new IpIntervals();
        private final IpIntervals taken;
        private Optional<Ip> next = Optional.empty();

        /** Nobody gets a subnet's own address and, in IPv4, that for broadcasts; where there are two or less all are given. */
        Held(Subnet subnet) {
            boolean four = subnet.address().family() == Family.IPV4;
            if (!four || subnet.length() < Family.IPV4.bits() - 1) {
                reserved.add(subnet.first());
                if (four) {
                    reserved.add(subnet.last());
                }
            }
            taken = new IpIntervals(reserved);
        }
    }

    /**
     * @param subnet without host bits
     * @param range the part of it in which addresses are searched
     */
    AddressPool(Subnet subnet, Optional<Subnet> range, Held held) {
        this.subnet = subnet;
        this.range = range;
        this.held = held;
    }

    /** Without host bits. */
    public Subnet subnet() {
        return subnet;
    }

    Optional<Subnet> range() {
        return range;
    }

    /** @throws AllocationException {@link Reason#NOT_HERE} if there is none left */
    public Ip take() {
        Subnet within = range.orElse(subnet);
        Ip start = held.next.filter(within::contains).orElse(within.first());
        Ip found = held.taken
                .firstGap(start, within.last())
                .or(() -> held.taken.firstGap(within.first(), within.last()))
                .orElseThrow(() -> new AllocationException(Reason.NOT_HERE, "no available addresses on this pool"));
        held.taken.add(found);
        held.next = found.plus(1);
        return found;
    }

    /**
     * Takes this address, which may lie outside of the range.
     *
     * @throws AllocationException {@link Reason#NOT_HERE} if it is not of the subnet, {@link Reason#TAKEN}
     */
    public void take(Ip address) {
        if (!subnet.contains(address)) {
            throw new AllocationException(Reason.NOT_HERE, "requested address is out of range");
        }
        if (held.taken.contains(address)) {
            throw new AllocationException(Reason.TAKEN, "Address already in use");
        }
        held.taken.add(address);
    }

    /** Has no effect if it is free, or not of the subnet. */
    public void release(Ip address) {
        if (subnet.contains(address) && !held.reserved.contains(address)) {
            held.taken.remove(address);
        }
    }

    /** An address of it as {@code ADDRESS/LENGTH}. */
    public String text(Ip address) {
        return new Subnet(address, subnet.length()).toString();
    }
}
