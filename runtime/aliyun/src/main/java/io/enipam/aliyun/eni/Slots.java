package io.enipam.aliyun.eni;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * How many ENIs this node may have, shared by the factories on the instance: the instance's bound does not ask what an ENI is
 * for, nor who attached it. Thread-safe, instant.
 *
 * <p>The counts are what the factories have in their books, told with each turn, so that nothing can leak; only the ENIs a
 * factory begins within a turn are added at once, lest two take the last slot.
 */
public final class Slots {
    private final int most;
    private final int instance;
    private final Map<EniUse, Set<String>> books = new EnumMap<>(EniUse.class);
    private final Map<EniUse, Integer> taken = new EnumMap<>(EniUse.class);
    private int foreign;

    /**
     * @param most secondary ENIs this node may have at one time, at least 0
     * @param instance secondary ENIs the instance can have, those of others included, at least 0
     */
    public Slots(int most, int instance) {
        this.most = most;
        this.instance = instance;
    }

    /** How many ENIs this node may have: what others have attached to the instance takes their place. */
    synchronized int bound() {
        return Math.max(0, Math.min(most, instance - foreign));
    }

    /** How many are free; 0 if there are more ENIs than there may be. */
    synchronized int free() {
        return Math.max(
                0, bound() - taken.values().stream().mapToInt(Integer::intValue).sum());
    }

    /** Takes one if one is free. */
    synchronized boolean take(EniUse use) {
        if (free() == 0) {
            return false;
        }
        taken.merge(use, 1, Integer::sum);
        return true;
    }

    /** A factory's book has these ENIs, in whatever state. */
    synchronized void has(EniUse use, Set<String> enis) {
        books.put(use, Set.copyOf(enis));
        taken.put(use, enis.size());
    }

    /** Whether an ENI is in any factory's book. */
    synchronized boolean knows(String eni) {
        return books.values().stream().anyMatch(book -> book.contains(eni));
    }

    /** Takes note of how many of the instance's ENIs are in nobody's book and somebody else's. */
    synchronized void foreign(int count) {
        foreign = count;
    }

    /** How many of the instance's ENIs are somebody else's. */
    synchronized int foreign() {
        return foreign;
    }

    /** How many the other uses have. */
    synchronized int ofOthers(EniUse use) {
        return taken.entrySet().stream()
                .filter(entry -> entry.getKey() != use)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }
}
