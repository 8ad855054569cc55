package io.enipam.kubernetes.events;

import io.enipam.engine.port.TimeSource;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Counts the events that nobody was told of. Thread-safe. */
public final class DroppedEvents {
    private static final int LONGEST = 300;

    private final TimeSource time;
    private final AtomicReference<Lost> lost = new AtomicReference<>(new Lost(0, Optional.empty(), ""));

    /**
     * What was lost since the start.
     *
     * @param last when that happened last
     * @param why it did, for a person; empty text if nothing was lost
     */
    public record Lost(long lost, Optional<Instant> last, String why) {}

    DroppedEvents(TimeSource time) {
        this.time = time;
    }

    void record(String why) {
        Optional<Instant> now = Optional.of(time.now());
        String words = why.length() <= LONGEST ? why : why.substring(0, LONGEST) + "...";
        lost.updateAndGet(before -> new Lost(before.lost() + 1, now, words));
    }

    Lost snapshot() {
        return lost.get();
    }
}
