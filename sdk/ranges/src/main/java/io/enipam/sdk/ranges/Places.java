package io.enipam.sdk.ranges;

import java.util.OptionalInt;

/**
 * Which of a number of places are taken: the addresses of a subnet, the blocks of a range, ports. The next free one is found by a look
 * at one word a level, however full it is: each level has a bit for each word of the level below, which is set where that word is full.
 * It needs a bit for each place. Not thread-safe.
 */
public final class Places {
    private static final int WORD = 6;

    private final int size;
    private final long[][] levels;
    private int taken;

    /** @param size how many there are, free at first: 1 or more */
    public Places(int size) {
        this.size = size;
        int depth = 1;
        for (int words = words(size); words > 1; words = words(words)) {
            depth++;
        }
        levels = new long[depth][];
        for (int level = 0, bits = size; level < depth; level++, bits = words(bits)) {
            levels[level] = new long[words(bits)];
            // what is beyond the last place counts as taken, so that it is never found
            if (bits % Long.SIZE != 0) {
                levels[level][levels[level].length - 1] = -1L << bits;
            }
        }
    }

    private static int words(int bits) {
        return (bits + Long.SIZE - 1) >>> WORD;
    }

    /** How many there are; each is named by a number from 0 to this one, excluded. */
    public int size() {
        return size;
    }

    /** How many are taken. */
    public int taken() {
        return taken;
    }

    public boolean isTaken(int place) {
        return (levels[0][place >>> WORD] & 1L << place) != 0;
    }

    /** Takes a place; returns whether it was free. */
    public boolean take(int place) {
        if (isTaken(place)) {
            return false;
        }
        taken++;
        int bit = place;
        for (long[] level : levels) {
            int word = bit >>> WORD;
            level[word] |= 1L << bit;
            if (level[word] != -1) {
                break;
            }
            bit = word;
        }
        return true;
    }

    /** Frees a place; returns whether it was taken. */
    public boolean free(int place) {
        if (!isTaken(place)) {
            return false;
        }
        taken--;
        int bit = place;
        for (long[] level : levels) {
            int word = bit >>> WORD;
            boolean full = level[word] == -1;
            level[word] &= ~(1L << bit);
            if (!full) {
                break;
            }
            bit = word;
        }
        return true;
    }

    /** The first free place that is not before this one; empty if there is none. */
    public OptionalInt nextFree(int from) {
        int bit = from;
        for (int level = 0; level < levels.length; level++) {
            int word = bit >>> WORD;
            if (word >= levels[level].length) {
                return OptionalInt.empty();
            }
            long free = ~levels[level][word] & -1L << bit;
            if (free != 0) {
                return OptionalInt.of(firstFreeBelow(level, word << WORD | Long.numberOfTrailingZeros(free)));
            }
            bit = word + 1;
        }
        return OptionalInt.empty();
    }

    private int firstFreeBelow(int level, int bit) {
        int place = bit;
        for (int below = level - 1; below >= 0; below--) {
            place = place << WORD | Long.numberOfTrailingZeros(~levels[below][place]);
        }
        return place;
    }

    /** How many places are taken from one, included, to another, excluded. */
    public int taken(int from, int to) {
        int count = 0;
        for (int word = from >>> WORD; word < words(to); word++) {
            long bits = levels[0][word];
            if (word == from >>> WORD) {
                bits &= -1L << from;
            }
            if (word == to >>> WORD) {
                bits &= ~(-1L << to);
            }
            count += Long.bitCount(bits);
        }
        return count;
    }
}
