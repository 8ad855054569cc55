package io.enipam.examples.swarm.pools;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.sdk.ranges.Places;
import java.util.OptionalInt;

/**
 * Numbers, each of which one holder has: ports, or identifiers of VXLANs. The next one is searched behind the one that was given last, so a
 * number that came back is given again when all others have had their turn. Not thread-safe.
 */
public final class NumberPool {
    private final int first;
    private final Places places;
    private final Turns turns;
    private int next;

    /** @param last not below the first, which is 0 or more; a bit is needed for each number */
    public NumberPool(int first, int last) {
        this(first, last, new Turns());
    }

    public NumberPool(int first, int last, Turns turns) {
        this.first = first;
        this.turns = turns;
        this.places = new Places(last - first + 1);
    }

    public boolean contains(int number) {
        return first <= number && number - first < places.size();
    }

    /** @throws Refused {@code RESOURCE_EXHAUSTED} if all are taken */
    public int take() {
        OptionalInt ahead = places.nextFree(next);
        int found = (ahead.isPresent() ? ahead : places.nextFree(0))
                .orElseThrow(() -> Refused.exhausted("no bit available"));
        places.take(found);
        int now = next;
        turns.changes(this, () -> next = now);
        next = found + 1;
        return first + found;
    }

    /** @throws Refused if it is taken ({@code FAILED_PRECONDITION}), or none of these ({@code INVALID_ARGUMENT}) */
    public void take(int number) {
        if (!contains(number)) {
            throw Refused.invalid("requested id does not belong to the set");
        }
        if (!places.take(number - first)) {
            throw Refused.conflict("requested bit is already allocated");
        }
    }

    /** Searches on where another one of the same numbers would. */
    public void turnOf(NumberPool other) {
        next = other.next;
    }

    /** Has no effect if it is free. */
    public void release(int number) {
        if (contains(number)) {
            places.free(number - first);
        }
    }

    /** How many are taken. */
    public int taken() {
        return places.taken();
    }
}
