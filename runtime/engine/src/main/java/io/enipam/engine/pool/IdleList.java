package io.enipam.engine.pool;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The idle slots, longest idle first. Adding, taking the first and removing any one are O(1): the links live in the slots.
 * Guarded by the pool's lock.
 */
final class IdleList implements Iterable<Slot> {
    private @Nullable Slot first;
    private @Nullable Slot last;
    private int size;

    int size() {
        return size;
    }

    @Nullable
    Slot first() {
        return first;
    }

    void addLast(Slot slot) {
        slot.previous = last;
        slot.next = null;
        if (last == null) {
            first = slot;
        } else {
            last.next = slot;
        }
        last = slot;
        size++;
    }

    void remove(Slot slot) {
        Slot before = slot.previous;
        Slot after = slot.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        slot.previous = null;
        slot.next = null;
        size--;
    }

    @Override
    public Iterator<Slot> iterator() {
        return new Iterator<>() {
            private @Nullable Slot at = first;

            @Override
            public boolean hasNext() {
                return at != null;
            }

            @Override
            public Slot next() {
                Slot slot = at;
                if (slot == null) {
                    throw new NoSuchElementException();
                }
                at = slot.next;
                return slot;
            }
        };
    }
}
