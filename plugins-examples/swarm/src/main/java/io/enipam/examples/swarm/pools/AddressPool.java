package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The addresses of a subnet, or of a range of it. The next one is searched behind the one that was found last, so an address that came back
 * is given again when all others have had their turn; a search costs the same however full the subnet is. Not thread-safe.
 */
public final class AddressPool {
    private final Subnet subnet;
    private final Optional<Subnet> range;
    private final Held held;

    /** What is held of a subnet, by all pools of it. */
    static final class Held {
        private final TakenAddresses taken;
        private final Turns turns;
        private Optional<Ip> next = Optional.empty();

        /** @param subnet without host bits */
        Held(Subnet subnet, Turns turns) {
            this.turns = turns;
            taken = TakenAddresses.of(subnet);
            Stream.of(subnet.first(), subnet.last()).filter(subnet::isReserved).forEach(taken::add);
        }

        private void next(Optional<Ip> turn) {
            Optional<Ip> now = next;
            turns.changes(this, () -> next = now);
            next = turn;
        }

        void turnOf(Held other) {
            next = other.next;
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

    /** The part of it in which addresses are searched; empty for all. */
    public Optional<Subnet> range() {
        return range;
    }

    /** Takes the next free one; empty if there is none. */
    public Optional<Ip> takeNext() {
        Subnet within = searched();
        Ip start = held.next.filter(within::contains).orElse(within.first());
        Optional<Ip> found = held.taken
                .firstFree(start, within.last())
                .or(() -> held.taken.firstFree(within.first(), within.last()));
        found.ifPresent(address -> {
            held.taken.add(address);
            held.next(address.plus(1));
        });
        return found;
    }

    /**
     * Takes this address, which may lie outside of the range. It does not change whose turn it is.
     *
     * @throws Refused {@code INVALID_ARGUMENT} if it is not of the subnet, {@code FAILED_PRECONDITION} if it is taken
     */
    public void take(Ip address) {
        if (!subnet.contains(address)) {
            throw Refused.invalid("requested address is out of range");
        }
        if (!held.taken.add(address)) {
            throw Refused.conflict("Address already in use");
        }
    }

    /** Has no effect if it is free, reserved, or not of the subnet. */
    public void release(Ip address) {
        if (subnet.contains(address) && !subnet.isReserved(address)) {
            held.taken.remove(address);
        }
    }

    /** How many addresses {@link #takeNext} can still give. Counts, so it costs more than to take one. */
    public BigInteger free() {
        return held.taken.free(searched());
    }

    private Subnet searched() {
        return range.orElse(subnet);
    }

    /** An address of it as {@code ADDRESS/LENGTH}. */
    public String text(Ip address) {
        return new Subnet(address, subnet.length()).toString();
    }
}
