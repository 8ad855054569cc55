package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import java.util.Optional;

/**
 * A limit as the kernel's token bucket filter wants it.
 *
 * @param rate bytes a second
 * @param burst what may pass at once, in bytes
 * @param limit what may wait, in bytes
 */
public record TokenBucket(long rate, long burst, long limit) {
    /** The slowest there is: below it one packet of 64 KiB would wait for minutes. */
    private static final long SLOWEST = 1_000;

    private static final long LEAST_BURST = 32 << 10;
    private static final long LEAST_QUEUE = 32 << 10;

    /**
     * Of a rate above zero: the burst is what a hundredth of a second lets through, since a kernel of 100 Hz refills no
     * more often, and never less than a few dozen packets: with one MTU a bucket passes a fraction of its rate, and a
     * packet that is larger than the burst would never pass. Waiting is a twentieth of a second.
     */
    public static TokenBucket of(long bytesPerSecond, int mtu) {
        long rate = Math.max(SLOWEST, bytesPerSecond);
        long burst = Math.max(Math.max(LEAST_BURST, rate / 100), mtu + 64L);
        return new TokenBucket(rate, burst, burst + Math.max(LEAST_QUEUE, rate / 20));
    }

    /** A limit as the kernel shows it: bytes a second; empty for none, which is 0. */
    public static Optional<Long> shown(long limit, int mtu) {
        return limit > 0 ? Optional.of(of(limit, mtu).rate()) : Optional.empty();
    }

    /** Adds to a batch what puts it on a link. */
    void limit(String link, Batch batch) {
        batch.tokenBucket(link, rate, burst, limit);
    }
}
