package io.enipam.aliyun.eni;

import java.util.EnumMap;
import java.util.Map;

/**
 * How many ENIs the instance has room for, shared by the factories on it: the instance's bound does not ask what an ENI is
 * for. Thread-safe, instant.
 *
 * <p>The counts are what the factories have in their books, told at the end of each turn, so that nothing can leak; only the
 * ENIs a factory begins within a turn are added at once, lest two take the last slot.
 */
public final class Slots {
    private final int all;
    private final Map<EniUse, Integer> taken = new EnumMap<>(EniUse.class);

    /** @param all secondary ENIs at one time, at least 0 */
    public Slots(int all) {
        this.all = all;
    }

    /** How many are free; 0 if there are more ENIs than there may be. */
    synchronized int free() {
        return Math.max(
                0, all - taken.values().stream().mapToInt(Integer::intValue).sum());
    }

    /** Takes one if one is free. */
    synchronized boolean take(EniUse use) {
        if (free() == 0) {
            return false;
        }
        taken.merge(use, 1, Integer::sum);
        return true;
    }

    /** A factory's book has so many ENIs, in whatever state. */
    synchronized void has(EniUse use, int enis) {
        taken.put(use, enis);
    }

    /** How many the other uses have. */
    synchronized int ofOthers(EniUse use) {
        return taken.entrySet().stream()
                .filter(entry -> entry.getKey() != use)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }
}
