package io.enipam.engine.pool;

import io.enipam.engine.pool.Slot.SlotCopy;
import java.util.List;
import java.util.Objects;

/**
 * All slots as they are at one moment, copied while the pool goes on: the lock is held for some microseconds again and
 * again, and not once for as long as ten thousand slots take.
 *
 * <p>It works as the snapshot at the beginning of a concurrent garbage collection does. The constructor, under the lock,
 * notes which slots there are; that is the moment of the copy. Each {@link #step} copies some of them, under the lock that
 * was released since the last one. Before a slot changes, under the lock, {@link #keep} copies it as it is, unless the copy
 * has it. So every slot is copied before its first change after the moment, in whatever order steps and changes come, and
 * the copy shows none of these changes, and all that came before. A slot that is added later is no part of it; one that is
 * removed later is.
 *
 * <p>Two things are easily got wrong. A slot is marked by the number of the copy and not by a flag: a copy that was given up
 * leaves marks that the next one must not believe. And a slot keeps what it was for one copy: there is one at a time
 * ({@link PoolInspector}).
 *
 * <p>While no copy is made, a change costs one comparison more. Guarded by the pool's lock.
 */
final class InventoryCopy {
    /** How many are copied at a time: a microsecond or two, and less than 50 in code that is not compiled yet. */
    private static final int STEP = 32;

    private final long number;
    private final Object[] slots;
    private final SlotCopy[] copies;
    private int done;

    /** @param number never used before in this inventory, and not 0 */
    InventoryCopy(long number, List<Slot> slots) {
        this.number = number;
        this.slots = slots.toArray();
        this.copies = new SlotCopy[this.slots.length];
    }

    /** Copies a slot that is about to change, as it is, unless that was done. */
    void keep(Slot slot) {
        if (slot.copyNumber != number) {
            slot.copyNumber = number;
            slot.kept = slot.copy();
        }
    }

    /** @return whether that was all */
    boolean step() {
        int end = Math.min(done + STEP, slots.length);
        for (; done < end; done++) {
            Slot slot = (Slot) slots[done];
            keep(slot);
            copies[done] = Objects.requireNonNull(slot.kept, "each slot is visited once");
            slot.kept = null;
        }
        return done == slots.length;
    }

    /** The slots at the moment, in no order; the caller's. Complete after the last step, and read without the lock then. */
    SlotCopy[] copies() {
        return copies;
    }
}
