package io.enipam.aliyun.calls;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The log of all calls of the cloud: what each API may still be asked, how it fared, and the last {@value #RING} calls.
 * It outlives the client, so that a client that is opened anew neither forgets a throttling nor the failure that closed
 * the one before. Thread-safe; {@code this} guards all of it, and no method blocks.
 */
public final class ApiCallLog {
    public static final int RING = 256;

    /** The key, in {@code rate_limit}, of the limit of every API that has none of its own there. */
    public static final String EVERY_OTHER = "";

    private final TimeSource time;
    private final RandomGenerator random;
    private final TraceSink traces;
    private final Map<CloudApi, ApiCallStats> stats = new EnumMap<>(CloudApi.class);
    private final Deque<CloudCall> ring = new ArrayDeque<>(RING);
    private final MetadataCallStats metadata;
    private long calls;

    /**
     * @param random keeps nodes from coming back in the same moment
     * @param perMinute calls a minute by the cloud's name of the API, each at least 1; what is not in it keeps its
     *     usual limit
     */
    public ApiCallLog(TimeSource time, RandomGenerator random, Map<String, Integer> perMinute) {
        this(time, random, perMinute, TraceSink.NONE);
    }

    public ApiCallLog(TimeSource time, RandomGenerator random, Map<String, Integer> perMinute, TraceSink traces) {
        this.time = time;
        this.random = random;
        this.traces = traces;
        this.metadata = new MetadataCallStats(time);
        for (CloudApi api : CloudApi.values()) {
            stats.put(api, new ApiCallStats(new MinuteRateLimiter(limit(api, perMinute), time, random)));
        }
    }

    private static int limit(CloudApi api, Map<String, Integer> perMinute) {
        int usual = perMinute.getOrDefault(EVERY_OTHER, api.perMinute());
        return Math.max(1, perMinute.getOrDefault(api.wireName(), usual));
    }

    /** Other limits, from the next minute of the clock on: an API that is not in the map has its usual one again. */
    public synchronized void setLimits(Map<String, Integer> perMinute) {
        stats.forEach((api, counted) -> counted.limit.limit(limit(api, perMinute)));
    }

    private ApiCallStats of(CloudApi api) {
        return Objects.requireNonNull(stats.get(api));
    }

    /** Counts a time; a histogram takes memory, and most are never needed, so the first time makes it. */
    private static <K> void add(Map<K, LatencyHistogram> histograms, K key, Duration took) {
        histograms.computeIfAbsent(key, first -> LatencyHistogram.ofCalls()).add(took);
    }

    private static <K> LatencySnapshot snapshot(Map<K, LatencyHistogram> histograms, K key) {
        return Optional.ofNullable(histograms.get(key))
                .map(LatencyHistogram::snapshot)
                .orElse(LatencySnapshot.NONE);
    }

    public TraceSink traces() {
        return traces;
    }

    /** Whether an API may be called now. If so, the caller makes the call and then reports how it ended. */
    public synchronized CallPermission acquire(CloudApi api) {
        return of(api).limit.acquire();
    }

    /** A pause that is longer or shorter by up to a share, 0 to 1, so that nodes do not come back in the same moment. */
    public synchronized Duration spread(Duration about, double share) {
        return Backoff.spread(about, share, random);
    }

    public MetadataCallStats metadata() {
        return metadata;
    }

    /** A call was granted after it had waited this long for it. */
    public synchronized void recordWait(CloudApi api, Duration took) {
        add(of(api).times, CallTime.WAITED, took);
    }

    /** A call was not throttled: it worked, or failed with a code that is not empty. */
    public synchronized void recordServed(CloudApi api, CallPermission.Granted permission, String code, Duration took) {
        of(api).limit.recordServed(permission.window());
        if (code.isEmpty()) {
            add(of(api).times, CallTime.WORKED, took);
        } else {
            of(api).recordFailure(code, took);
        }
    }

    public synchronized ThrottlingOutcome recordThrottling(
            CloudApi api, CallPermission.Granted permission, String code, Duration took) {
        of(api).recordFailure(code, took);
        of(api).throttles++;
        return of(api).limit.recordThrottling(permission.window());
    }

    /**
     * A call is over, with all its retries. Calls of one API that are held back one after another take one place in the
     * ring: they must not push out the calls that show why.
     */
    public synchronized void recordEnd(
            CloudApi api, String target, Duration took, String code, String requestId, int attempts) {
        if (attempts == 0) {
            removeHeldBack(api, code);
        }
        if (ring.size() == RING) {
            ring.removeFirst();
        }
        calls++;
        ring.addLast(new CloudCall(calls, time.now(), api.wireName(), target, took, code, requestId, attempts));
    }

    /** Removes the last call of that API, if it was held back with that code. */
    private void removeHeldBack(CloudApi api, String code) {
        Iterator<CloudCall> latest = ring.descendingIterator();
        while (latest.hasNext()) {
            CloudCall last = latest.next();
            if (last.api().equals(api.wireName())) {
                if (last.attempts() == 0 && last.code().equals(code)) {
                    latest.remove();
                }
                return;
            }
        }
    }

    /** The last calls, the latest first. */
    public synchronized List<CloudCall> calls() {
        List<CloudCall> latest = new ArrayList<>(ring);
        Collections.reverse(latest);
        return List.copyOf(latest);
    }

    public synchronized ApiQuotaStatus quotaStatus(CloudApi api) {
        return of(api).status(api);
    }

    /** Every API, in a fixed order. */
    public synchronized List<ApiQuotaStatus> quotaStatus() {
        return Arrays.stream(CloudApi.values()).map(api -> of(api).status(api)).toList();
    }

    /**
     * One call of the cloud as its caller saw it: with its retries and waits, whether it worked or not.
     *
     * @param sequence counts the calls, from 1
     * @param at when it ended
     * @param api the cloud's name of the API
     * @param target what it was about: an id, or a few words
     * @param code the code of its failure, empty text if it worked
     * @param requestId the cloud's name of the last attempt, or empty text
     * @param attempts how often it went over the wire; 0 if it was held back
     */
    public record CloudCall(
            long sequence,
            Instant at,
            String api,
            String target,
            Duration took,
            String code,
            String requestId,
            int attempts) {
        public boolean failed() {
            return !code.isEmpty();
        }
    }

    /** Whether an API may be called now. */
    public sealed interface CallPermission {
        /**
         * It may, and the call is counted.
         *
         * @param window the minute it is counted in, to be given back with the outcome
         */
        record Granted(long window) implements CallPermission {}

        /**
         * It may not before this time has passed.
         *
         * @param after more than zero
         * @param why in words, for an operator
         */
        record Held(Duration after, String why) implements CallPermission {}
    }

    /**
     * What follows from a call that the cloud has throttled.
     *
     * @param inhibition how long the API may not be called; zero if the throttled minute is over
     * @param news whether it is the first one of its minute
     * @param allowed calls a minute allowed from now on
     */
    public record ThrottlingOutcome(Duration inhibition, boolean news, int allowed) {}

    private enum CallTime {
        WORKED,
        FAILED,
        WAITED
    }

    /** The limit and the counts of one API. Not thread-safe: the log's lock guards it. */
    private static final class ApiCallStats {
        private static final int MOST_CODES = 32;

        private final MinuteRateLimiter limit;
        private final Map<CallTime, LatencyHistogram> times = new EnumMap<>(CallTime.class);
        private final Map<String, Long> errors = new HashMap<>();
        private long throttles;

        ApiCallStats(MinuteRateLimiter limit) {
            this.limit = limit;
        }

        void recordFailure(String code, Duration took) {
            add(times, CallTime.FAILED, took);
            String known = errors.containsKey(code) || errors.size() < MOST_CODES ? code : ApiQuotaStatus.OTHER_CODES;
            errors.merge(known, 1L, Long::sum);
        }

        ApiQuotaStatus status(CloudApi api) {
            return new ApiQuotaStatus(
                    api.wireName(),
                    limit.quota(),
                    throttles,
                    errors,
                    snapshot(times, CallTime.WORKED),
                    snapshot(times, CallTime.FAILED),
                    snapshot(times, CallTime.WAITED));
        }
    }

    /**
     * One API: what it may be called this minute, and how its calls have ended since the daemon started. What is counted is what went
     * over the wire, each retry on its own.
     *
     * @param api the cloud's name of it
     * @param errors failures by code, at most 33 codes; those of further codes are under {@value #OTHER_CODES}
     * @param waited how long calls waited for this node's own limit before they were made; one that need not wait counts as zero
     */
    public record ApiQuotaStatus(
            String api,
            Quota quota,
            long throttles,
            Map<String, Long> errors,
            LatencySnapshot worked,
            LatencySnapshot failed,
            LatencySnapshot waited) {
        /** The key under which failures are counted once there are too many codes. */
        public static final String OTHER_CODES = "other";

        /**
         * @param limit calls a minute as configured
         * @param allowed calls a minute allowed now: less than the limit for a while after throttling
         * @param used calls made this minute
         * @param left calls that may still be made this minute; 0 while the API is inhibited
         * @param inhibitedUntil when the API may be called again after throttling, if that is to come
         */
        public record Quota(
                int limit, int allowed, int used, int left, Instant minuteEnds, Optional<Instant> inhibitedUntil) {}

        public ApiQuotaStatus {
            errors = Map.copyOf(errors);
        }

        public long calls() {
            return worked.count() + failed.count();
        }

        public LatencySnapshot latencies() {
            return worked.plus(failed);
        }

        /** The time that this share, 0 to 1, of the calls did not exceed, estimated from the histogram; zero if there were none. */
        public Duration quantile(double share) {
            return latencies().quantile(share).orElse(Duration.ZERO);
        }

        /** The errors, the most frequent first. */
        public Map<String, Long> errorsByCount() {
            Map<String, Long> sorted = new LinkedHashMap<>();
            errors.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue()
                            .reversed()
                            .thenComparing(Map.Entry.comparingByKey()))
                    .forEach(error -> sorted.put(error.getKey(), error.getValue()));
            return sorted;
        }
    }

    /**
     * How long the metadata service takes. Thread-safe; {@code this} guards all of it, and no method blocks.
     *
     * <p>What is asked for is of the fixed set of paths that the client knows: a chosen name, such as that of a role,
     * is left out of it.
     */
    public static final class MetadataCallStats {
        private static final int MOST_PATHS = 16;

        private final TimeSource time;
        private final Map<String, LatencyHistogram> worked = new TreeMap<>();
        private final Map<String, LatencyHistogram> failed = new TreeMap<>();

        MetadataCallStats(TimeSource time) {
            this.time = time;
        }

        /** One path of the service: how long it took where it answered, and where it did not. */
        public record Path(String path, LatencySnapshot worked, LatencySnapshot failed) {}

        /** A request begins; gives what is to be called when it is over, with whether it worked. */
        public Consumer<Boolean> begin(String path) {
            long begun = time.nanoTime();
            return good -> add(good ? worked : failed, path, begun);
        }

        private synchronized void add(Map<String, LatencyHistogram> book, String path, long begun) {
            String known = book.containsKey(path) || book.size() < MOST_PATHS ? path : ApiQuotaStatus.OTHER_CODES;
            ApiCallLog.add(book, known, Duration.ofNanos(time.nanoTime() - begun));
        }

        /** Every path that was asked for, by name. */
        public synchronized List<Path> paths() {
            var names = new TreeSet<>(worked.keySet());
            names.addAll(failed.keySet());
            return names.stream()
                    .map(name -> new Path(name, snapshot(worked, name), snapshot(failed, name)))
                    .toList();
        }
    }
}
