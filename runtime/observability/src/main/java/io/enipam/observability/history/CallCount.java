package io.enipam.observability.history;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Calls of one kind over some time.
 *
 * @param done those that ended well
 * @param failures those that failed, by code; no zeros
 * @param times how long all of them took; empty if none ended
 * @param inFlight those that had begun and not ended, at the end of the time
 */
public record CallCount(long done, Map<String, Long> failures, Optional<CallTimes> times, long inFlight) {
    static final CallCount NONE = new CallCount(0, Map.of(), Optional.empty(), 0);

    public CallCount {
        Map<String, Long> sorted = new TreeMap<>(failures);
        sorted.values().removeIf(count -> count == 0);
        failures = Collections.unmodifiableMap(sorted);
    }

    /** Those that failed, whatever the code. */
    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What came on top of an earlier count of the same meter. */
    CallCount since(CallCount earlier, Optional<CallTimes> timesSince) {
        Map<String, Long> more = new TreeMap<>();
        failures.forEach((code, count) -> more.put(code, count - earlier.failures.getOrDefault(code, 0L)));
        return new CallCount(done - earlier.done, more, timesSince, inFlight);
    }
}
