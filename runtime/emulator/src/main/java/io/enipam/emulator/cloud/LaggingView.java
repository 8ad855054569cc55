package io.enipam.emulator.cloud;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * The cloud as the metadata service sees it: some time late. Each change has a lag of its own, but a later change never
 * shows before an earlier one. What passes by itself (an attach that ends) is as late as the change that began it.
 * Thread-safe.
 */
public final class LaggingView {
    private record Entry(CloudState state, Instant visible, Duration lag) {}

    private final Supplier<Duration> lags;
    private final Deque<Entry> entries = new ArrayDeque<>();

    /** A view that begins with a state that is no news; a lag is drawn once for each change. */
    public LaggingView(CloudState initial, Supplier<Duration> lags) {
        this.lags = lags;
        entries.add(new Entry(initial, Instant.MIN, Duration.ZERO));
    }

    public synchronized void changed(CloudState state, Instant now) {
        Instant own = now.plus(lags.get());
        Instant before = entries.getLast().visible();
        Instant visible = own.isBefore(before) ? before : own;
        forget(now);
        entries.add(new Entry(state, visible, Duration.between(now, visible)));
    }

    public synchronized CloudState at(Instant now) {
        forget(now);
        Entry seen = entries.removeFirst();
        CloudState settled = seen.state().at(now.minus(seen.lag()));
        // the next reader need not settle it again
        entries.addFirst(new Entry(settled, seen.visible(), seen.lag()));
        return settled;
    }

    private void forget(Instant now) {
        Entry first = entries.removeFirst();
        while (!entries.isEmpty() && !entries.getFirst().visible().isAfter(now)) {
            first = entries.removeFirst();
        }
        entries.addFirst(first);
    }
}
