package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.InFlightCall.PolicyCall;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A policy's bulkhead, and at once the register its watchdog reads: as many places as calls may be inside. A call that is
 * overdue keeps its place until it returns. Thread-safe, without locks.
 */
final class BulkheadSlots {
    static final int NONE = -1;

    private final AtomicReferenceArray<@Nullable PolicyCall<?>> places;

    BulkheadSlots(int count) {
        places = new AtomicReferenceArray<>(count);
    }

    /** Puts a call in a free place; {@link #NONE} if there is none. A thread begins its search where it found one before. */
    int take(PolicyCall<?> call, Thread thread) {
        int count = places.length();
        int first = (int) (thread.getId() % count);
        for (int i = 0; i < count; i++) {
            int place = first + i < count ? first + i : first + i - count;
            if (places.getPlain(place) == null && places.compareAndSet(place, null, call)) {
                return place;
            }
        }
        return NONE;
    }

    void free(int place) {
        places.setRelease(place, null);
    }

    /** The calls that are inside, each read when its turn comes. */
    Stream<PolicyCall<?>> calls() {
        return IntStream.range(0, places.length())
                .<PolicyCall<?>>mapToObj(places::get)
                .filter(Objects::nonNull);
    }
}
