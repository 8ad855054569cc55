package io.enipam.emulator.cloud;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Draws how long each call and state change takes. What is drawn for the n-th time for one thing (an action, a status)
 * depends on the seed, the thing and n alone. The latency may be changed at any time and counts from the next drawing on.
 * Thread-safe.
 */
public final class LatencySampler {
    private final long seed;
    private final Map<String, AtomicLong> drawn = new ConcurrentHashMap<>();
    private volatile Latency latency;

    /** Draws from that latency. */
    public LatencySampler(Latency latency, long seed) {
        this.latency = latency;
        this.seed = seed;
    }

    /** The latency in force. */
    public Latency latency() {
        return latency;
    }

    /** Puts another latency in force; what is under way is not changed. */
    public void change(Latency next) {
        latency = next;
    }

    /** How long a call of the action takes until it is answered. */
    public Duration ofCall(String action) {
        return draw(action, latency.ofCall(action));
    }

    /** How long a passing status lasts. */
    public Duration ofStatus(EniStatus status) {
        String what = status.wireName().toLowerCase(Locale.ROOT);
        return draw(what, latency.of(what));
    }

    /** How much later than the API the metadata service knows of a change. */
    public Duration ofMetadata() {
        return draw(Latency.METADATA, latency.of(Latency.METADATA));
    }

    /** How much later than all other calls the descriptions of ENIs know of a change. */
    public Duration ofDescriptions() {
        return draw(Latency.DESCRIBE, latency.of(Latency.DESCRIBE));
    }

    private Duration draw(String what, Latency.Range range) {
        long from = range.from().toMillis();
        long to = range.to().toMillis();
        if (from == to) {
            return range.from();
        }
        long number = drawn.computeIfAbsent(what, fresh -> new AtomicLong()).incrementAndGet();
        long ofThing = new SplittableRandom(seed ^ what.hashCode()).nextLong();
        return Duration.ofMillis(new SplittableRandom(ofThing + number).nextLong(from, to + 1));
    }
}
