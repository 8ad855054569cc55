package io.enipam.aliyun.calls;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How long the metadata service takes. Thread-safe; {@code this} guards all of it, and no method blocks.
 *
 * <p>What is asked for is of the fixed set of paths that the client knows: a chosen name, such as that of a role, is
 * left out of it.
 */
public final class MetadataCallStats {
    private static final int MOST_PATHS = 16;

    private final TimeSource time;
    private final Map<String, LatencyHistogram> worked = new TreeMap<>();
    private final Map<String, LatencyHistogram> failed = new TreeMap<>();

    MetadataCallStats(TimeSource time) {
        this.time = time;
    }

    /** Counts nothing. */
    public static MetadataCallStats discarding() {
        return new MetadataCallStats(new TimeSource() {
            @Override
            public Instant now() {
                return Instant.EPOCH;
            }

            @Override
            public long nanoTime() {
                return 0;
            }
        });
    }

    /** One path of the service: how long it took where it answered, and where it did not. */
    public record Path(String path, LatencySnapshot worked, LatencySnapshot failed) {}

    /** A request that is under way. */
    @FunctionalInterface
    public interface PendingRequest {
        /** It is over. */
        void ended(boolean worked);
    }

    /** A request begins. */
    public PendingRequest begin(String path) {
        long begun = time.nanoTime();
        return good -> add(good ? worked : failed, path, begun);
    }

    private synchronized void add(Map<String, LatencyHistogram> book, String path, long begun) {
        String known = book.containsKey(path) || book.size() < MOST_PATHS ? path : ApiQuotaStatus.OTHER_CODES;
        book.computeIfAbsent(known, name -> LatencyHistogram.ofCalls()).add(Duration.ofNanos(time.nanoTime() - begun));
    }

    /** Every path that was asked for, by name. */
    public synchronized List<Path> paths() {
        var names = new TreeSet<>(worked.keySet());
        names.addAll(failed.keySet());
        return names.stream()
                .map(name -> new Path(
                        name,
                        worked.getOrDefault(name, LatencyHistogram.ofCalls()).snapshot(),
                        failed.getOrDefault(name, LatencyHistogram.ofCalls()).snapshot()))
                .toList();
    }
}
