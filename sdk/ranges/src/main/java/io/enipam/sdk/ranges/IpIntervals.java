package io.enipam.sdk.ranges;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A set of addresses, kept as intervals: as much memory as there are gaps in it, whatever its size, so that a full /16 and a
 * /64 with a few addresses cost the same. Every search is O(log n) of the intervals. Not thread-safe.
 */
public final class IpIntervals {
    private final NavigableMap<Ip, Ip> endOf = new TreeMap<>();

    public IpIntervals() {}

    /** A copy. */
    public IpIntervals(IpIntervals other) {
        endOf.putAll(other.endOf);
    }

    public boolean isEmpty() {
        return endOf.isEmpty();
    }

    public boolean contains(Ip ip) {
        Map.Entry<Ip, Ip> interval = endOf.floorEntry(ip);
        return interval != null && interval.getValue().compareTo(ip) >= 0;
    }

    public void add(Ip ip) {
        add(ip, ip);
    }

    /** Adds all addresses from one to another of the same family; some may be there already. */
    public void add(Ip from, Ip to) {
        Ip first = from;
        Ip last = to;
        Map.Entry<Ip, Ip> before = endOf.floorEntry(from);
        if (before != null && reaches(before.getValue(), from)) {
            first = before.getKey();
            last = later(last, before.getValue());
        }
        Map.Entry<Ip, Ip> within = endOf.higherEntry(first);
        while (within != null && reaches(last, within.getKey())) {
            last = later(last, within.getValue());
            endOf.remove(within.getKey());
            within = endOf.higherEntry(first);
        }
        endOf.put(first, last);
    }

    /** Whether an interval that ends at one address has no gap to another one. */
    private static boolean reaches(Ip end, Ip next) {
        return end.family() == next.family()
                && (end.compareTo(next) >= 0 || end.value().add(BigInteger.ONE).equals(next.value()));
    }

    private static Ip later(Ip one, Ip other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    public void remove(Ip ip) {
        remove(ip, ip);
    }

    /** Removes all addresses from one to another of the same family; some may not be there. */
    public void remove(Ip from, Ip to) {
        Map.Entry<Ip, Ip> interval = endOf.floorEntry(from);
        if (interval == null || interval.getValue().compareTo(from) < 0) {
            interval = endOf.higherEntry(from);
        }
        while (interval != null && interval.getKey().compareTo(to) <= 0) {
            Ip first = interval.getKey();
            Ip last = interval.getValue();
            endOf.remove(first);
            if (first.compareTo(from) < 0) {
                endOf.put(first, from.plus(-1).orElseThrow());
            }
            if (last.compareTo(to) > 0) {
                endOf.put(to.plus(1).orElseThrow(), last);
            }
            interval = endOf.higherEntry(first);
        }
    }

    /** The lowest address of the set. */
    public Optional<Ip> lowest() {
        return Optional.ofNullable(endOf.firstEntry()).map(Map.Entry::getKey);
    }

    /** The lowest address of the set behind another one, of any family. */
    public Optional<Ip> higher(Ip ip) {
        Optional<Ip> next = ip.plus(1);
        return next.isPresent() && contains(next.get()) ? next : Optional.ofNullable(endOf.higherKey(ip));
    }

    /** The lowest address between two, both included, that is not in the set. */
    public Optional<Ip> firstGap(Ip from, Ip to) {
        Map.Entry<Ip, Ip> interval = endOf.floorEntry(from);
        Optional<Ip> gap = interval == null || interval.getValue().compareTo(from) < 0
                ? Optional.of(from)
                : interval.getValue().plus(1);
        return gap.filter(ip -> ip.compareTo(to) <= 0);
    }

    /** How many addresses there are. */
    public BigInteger size() {
        BigInteger size = BigInteger.ZERO;
        for (Map.Entry<Ip, Ip> interval : endOf.entrySet()) {
            size = size.add(length(interval.getKey(), interval.getValue()));
        }
        return size;
    }

    /** How many addresses there are between two, both included. */
    public BigInteger size(Ip from, Ip to) {
        BigInteger size = BigInteger.ZERO;
        Map.Entry<Ip, Ip> before = endOf.lowerEntry(from);
        if (before != null && before.getValue().compareTo(from) >= 0) {
            size = length(from, before.getValue().compareTo(to) < 0 ? before.getValue() : to);
        }
        if (from.compareTo(to) > 0) {
            return BigInteger.ZERO;
        }
        for (Map.Entry<Ip, Ip> interval : endOf.subMap(from, true, to, true).entrySet()) {
            size = size.add(
                    length(interval.getKey(), interval.getValue().compareTo(to) < 0 ? interval.getValue() : to));
        }
        return size;
    }

    private static BigInteger length(Ip from, Ip to) {
        return to.value().subtract(from.value()).add(BigInteger.ONE);
    }

    /** As {@code FIRST-LAST}, ascending. */
    @Override
    public String toString() {
        List<String> texts = new ArrayList<>();
        endOf.forEach((from, to) -> texts.add(from + "-" + to));
        return String.join(",", texts);
    }
}
