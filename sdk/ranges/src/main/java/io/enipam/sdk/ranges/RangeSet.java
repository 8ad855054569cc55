package io.enipam.sdk.ranges;

import io.enipam.sdk.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Ranges of one family, of which an owner gets one address. Immutable.
 *
 * @param ranges 1 or more, in the order in which they are used; none overlaps another one
 */
public record RangeSet(List<IpRange> ranges) {
    /** @throws IllegalArgumentException in the words of host-local */
    public RangeSet {
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("empty range set");
        }
        Family family = ranges.get(0).start().family();
        if (ranges.stream().anyMatch(range -> range.start().family() != family)) {
            throw new IllegalArgumentException("mixed address families");
        }
        for (int i = 0; i < ranges.size(); i++) {
            for (int j = i + 1; j < ranges.size(); j++) {
                if (ranges.get(i).overlaps(ranges.get(j))) {
                    throw new IllegalArgumentException(
                            "subnets " + ranges.get(i) + " and " + ranges.get(j) + " overlap");
                }
            }
        }
    }

    public Family family() {
        return ranges.get(0).start().family();
    }

    public boolean contains(Ip ip) {
        return rangeOf(ip).isPresent();
    }

    /** The range that an address is of. */
    public Optional<IpRange> rangeOf(Ip ip) {
        return ranges.stream().filter(range -> range.contains(ip)).findFirst();
    }

    public boolean overlaps(RangeSet other) {
        return ranges.stream().anyMatch(one -> other.ranges.stream().anyMatch(one::overlaps));
    }

    /**
     * The address whose turn it is: the first free one behind the last, round the set. The gateway of its own range is never
     * free. O(log n) of the addresses in use.
     *
     * @param last the address that was taken last; if it is not of this set, the search begins at the first range
     * @param used what is taken
     */
    public Optional<Ip> next(Optional<Ip> last, IpIntervals used) {
        for (Span span : turn(last)) {
            Optional<Ip> free = span.free(used);
            if (free.isPresent()) {
                return free;
            }
        }
        return Optional.empty();
    }

    /** All addresses once, in the order in which their turn comes. */
    private List<Span> turn(Optional<Ip> last) {
        List<Span> spans = new ArrayList<>();
        int first = 0;
        Optional<IpRange> within = last.flatMap(this::rangeOf);
        if (within.isPresent()) {
            first = ranges.indexOf(within.get());
            last.flatMap(ip -> ip.plus(1))
                    .ifPresent(ip -> spans.add(new Span(ip, within.get().end(), within.get())));
        }
        for (int i = within.isPresent() ? 1 : 0; i < ranges.size(); i++) {
            IpRange range = ranges.get((first + i) % ranges.size());
            spans.add(new Span(range.start(), range.end(), range));
        }
        within.ifPresent(range -> spans.add(new Span(range.start(), last.orElseThrow(), range)));
        return spans;
    }

    private record Span(Ip from, Ip to, IpRange range) {
        Optional<Ip> free(IpIntervals used) {
            Optional<Ip> free = used.firstGap(from, to);
            return free.isPresent() && free.get().equals(range.gateway())
                    ? range.gateway().plus(1).flatMap(behind -> used.firstGap(behind, to))
                    : free;
        }
    }

    /** {@code START-END,START-END}. */
    @Override
    public String toString() {
        return ranges.stream().map(IpRange::toString).collect(Collectors.joining(","));
    }
}
