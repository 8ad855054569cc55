package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.pools.AllocationException.Reason;
import java.util.BitSet;

/**
 * Numbers, each of which one holder has: ports, or identifiers of VXLANs. The next one is searched behind the one that was given last, so a
 * number that came back is given again when all others have had their turn. Not thread-safe.
 */
public final class NumberPool {
    private final int first;
    private final int last;
    private final BitSet taken = new BitSet();
    private int next;

    /** @param last not below the first, which is 0 or more */
    public NumberPool(int first, int last) {
        this.first = first;
        this.last = last;
        this.next = first;
    }

    public boolean contains(int number) {
        return first <= number && number <= last;
    }

    public boolean isTaken(int number) {
        return contains(number) && taken.get(number - first);
    }

    /** @throws AllocationException if all are taken */
    public int take() {
        int found = free(next);
        if (found > last) {
            found = free(first);
        }
        if (found > last) {
            throw new AllocationException(Reason.NOT_HERE, "no bit available");
        }
        taken.set(found - first);
        next = found + 1;
        return found;
    }

    private int free(int from) {
        return from > last ? from : taken.nextClearBit(from - first) + first;
    }

    /** @throws AllocationException if it is taken, or none of these */
    public void take(int number) {
        if (!contains(number)) {
            throw new AllocationException(Reason.NOT_HERE, "requested id does not belong to the set");
        }
        if (isTaken(number)) {
            throw new AllocationException(Reason.TAKEN, "requested bit is already allocated");
        }
        taken.set(number - first);
    }

    /** Has no effect if it is free. */
    public void release(int number) {
        if (contains(number)) {
            taken.clear(number - first);
        }
    }

    /** How many are taken. */
    public int taken() {
        return taken.cardinality();
    }
}
