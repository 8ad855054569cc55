package io.enipam.examples.nodeipam.blocks;

import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Places;
import io.enipam.sdk.ranges.Subnet;
import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A cluster CIDR that is cut into blocks of one size, and which of them are taken: not by whom, which {@link Blocks} knows. A block
 * that was freed is given again only after all that follow it: where a pod's address was used a moment ago, another node's pod does
 * not have it at once. Not thread-safe.
 *
 * @see <a href="https://kubernetes.io/docs/reference/command-line-tools-reference/kube-controller-manager/">--cluster-cidr,
 *     --node-cidr-mask-size</a>
 */
public final class BlockRange {
    /** As Kubernetes has it: an IPv6 range has at most 65,536 blocks. */
    private static final int MOST_BITS_OF_IPV6 = 16;
    /** 16,777,216 blocks, for which 2 MB are needed. */
    private static final int MOST_BITS = 24;

    private final Subnet cidr;
    private final int blockLength;
    private final Places places;
    private final Ip last;
    private int cursor;
    private long allocations;
    private long releases;
    private long tries;

    /**
     * How a range is used.
     *
     * @param size how many blocks it has
     * @param taken how many of them are
     * @param allocations how many were taken since it was made
     * @param releases how many were freed since then
     * @param tries how many taken ones were passed over since then
     */
    public record Counts(Subnet cidr, int size, int taken, long allocations, long releases, long tries) {}

    /** A block that was taken; before it, this many that are taken already were passed over. */
    record Taken(Subnet block, int passed) {}

    /** Which blocks a subnet touches, both included. */
    private record Span(int first, int last) {}

    /**
     * @param cidr may have host bits
     * @param blockLength length of the prefix of each block
     * @throws IllegalArgumentException if a block would be larger than the range, or there would be too many
     */
    public BlockRange(Subnet cidr, int blockLength) {
        check(cidr, blockLength);
        this.cidr = cidr.network();
        this.blockLength = blockLength;
        this.last = cidr.last();
        this.places = new Places(1 << (blockLength - cidr.length()));
    }

    /**
     * Whether there can be such a range; it takes no memory.
     *
     * @throws IllegalArgumentException if not, as the constructor
     */
    public static void check(Subnet cidr, int blockLength) {
        Subnet network = cidr.network();
        Family family = cidr.address().family();
        int bits = blockLength - cidr.length();
        if (bits < 0) {
            throw new IllegalArgumentException("blocks of /" + blockLength + " are larger than " + network);
        }
        if (blockLength > family.bits()) {
            throw new IllegalArgumentException("a block of " + network + " cannot be a /" + blockLength);
        }
        if (family == Family.IPV6 && bits > MOST_BITS_OF_IPV6) {
            throw new IllegalArgumentException("New CIDR set failed; the node CIDR size is too big");
        }
        if (bits > MOST_BITS) {
            throw new IllegalArgumentException(
                    network + " has more than 16,777,216 blocks of /" + blockLength + ": take larger blocks");
        }
    }

    /** Without host bits. */
    public Subnet cidr() {
        return cidr;
    }

    public Family family() {
        return cidr.address().family();
    }

    public int blockLength() {
        return blockLength;
    }

    /** How many blocks there are: 1 to 16,777,216. */
    public int size() {
        return places.size();
    }

    public int taken() {
        return places.taken();
    }

    /** How many blocks are taken from one index, included, to another, excluded. */
    public int taken(int from, int to) {
        return places.taken(from, to);
    }

    public Counts counts() {
        return new Counts(cidr, size(), taken(), allocations, releases, tries);
    }

    public boolean isTaken(int index) {
        return places.isTaken(index);
    }

    /** Of two prefixes that overlap one is in the other. */
    public boolean overlaps(Subnet other) {
        return contains(other.address()) || other.contains(cidr.address());
    }

    private boolean contains(Ip ip) {
        return cidr.address().compareTo(ip) <= 0 && last.compareTo(ip) >= 0;
    }

    /** @param index 0 to the size */
    public Subnet block(int index) {
        BigInteger more = BigInteger.valueOf(index).shiftLeft(family().bits() - blockLength);
        return new Subnet(new Ip(family(), cidr.address().value().or(more)), blockLength);
    }

    /** The index of the block that an address is in. */
    public int index(Ip ip) {
        if (!contains(ip)) {
            throw new IllegalArgumentException(
                    "CIDR: " + ip + "/" + blockLength + " is out of the range of CIDR allocator");
        }
        return ip.value()
                .subtract(cidr.address().value())
                .shiftRight(family().bits() - blockLength)
                .intValueExact();
    }

    /** Takes the next free block; empty if there is none. */
    Optional<Taken> takeNext() {
        OptionalInt ahead = places.nextFree(cursor);
        OptionalInt found = ahead.isPresent() ? ahead : places.nextFree(0);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        int index = found.getAsInt();
        int passed = Math.floorMod(index - cursor, places.size());
        places.take(index);
        allocations++;
        tries += passed;
        cursor = (index + 1) % places.size();
        return Optional.of(new Taken(block(index), passed));
    }

    /**
     * Takes all blocks that a subnet touches, one that is smaller than a block as well; those that are taken already stay so.
     *
     * @return how many of them were free
     * @throws IllegalArgumentException if it is out of the range
     */
    public int occupy(Subnet other) {
        Span span = span(other);
        int changed = 0;
        for (int index = span.first(); index <= span.last(); index++) {
            changed += places.take(index) ? 1 : 0;
        }
        allocations += changed;
        return changed;
    }

    /**
     * Frees all blocks that a subnet touches.
     *
     * @return how many of them were taken
     * @throws IllegalArgumentException if it is out of the range
     */
    public int release(Subnet other) {
        Span span = span(other);
        int changed = 0;
        for (int index = span.first(); index <= span.last(); index++) {
            changed += places.free(index) ? 1 : 0;
        }
        releases += changed;
        return changed;
    }

    /** How many blocks a subnet touches: 0 if it is out of the range. */
    public int touched(Subnet other) {
        if (!overlaps(other)) {
            return 0;
        }
        Span span = span(other);
        return span.last() - span.first() + 1;
    }

    private Span span(Subnet other) {
        if (!overlaps(other)) {
            throw new IllegalArgumentException("cidr " + other.network() + " is out the range of cluster cidr " + cidr);
        }
        if (other.length() <= cidr.length()) {
            return new Span(0, places.size() - 1);
        }
        int first = index(other.address());
        // a block, or what is smaller, is in one; of what is larger the length says how many there are
        int more = (1 << Math.max(0, blockLength - other.length())) - 1;
        return new Span(first & ~more, first | more);
    }

    /** Such as {@code 10.0.0.0/16 in blocks of /24}. */
    @Override
    public String toString() {
        return cidr + " in blocks of /" + blockLength;
    }
}
