package io.enipam.aliyun.calls;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The limit and the metrics of one API. Not thread-safe: its book's lock guards it. */
final class ApiCallStats {
    private static final int MOST_CODES = 32;

    private final String api;
    private final MinuteRateLimiter limit;
    private final LatencyHistogram latencies = new LatencyHistogram();
    private final LatencyHistogram workedIn = new LatencyHistogram();
    private final LatencyHistogram failedIn = new LatencyHistogram();
    private final LatencyHistogram recordWait = new LatencyHistogram();
    private final Map<String, Long> errors = new HashMap<>();
    private long throttles;

    ApiCallStats(String api, MinuteRateLimiter limit) {
        this.api = api;
        this.limit = limit;
    }

    MinuteRateLimiter limit() {
        return limit;
    }

    void recordSuccess(Duration took) {
        latencies.add(took);
        workedIn.add(took);
    }

    void recordFailure(String code, Duration took) {
        latencies.add(took);
        failedIn.add(took);
        String known = errors.containsKey(code) || errors.size() < MOST_CODES ? code : ApiQuotaStatus.OTHER_CODES;
        errors.merge(known, 1L, Long::sum);
    }

    void recordThrottling() {
        throttles++;
    }

    void recordWait(Duration took) {
        recordWait.add(took);
    }

    ApiLatencies latencies() {
        return new ApiLatencies(api, workedIn.timing(), failedIn.timing(), recordWait.timing());
    }

    ApiQuotaStatus quotaStatus() {
        return new ApiQuotaStatus(
                api,
                limit.limit(),
                limit.allowed(),
                limit.used(),
                limit.left(),
                limit.minuteEnds(),
                limit.inhibitedUntil(),
                latencies.count(),
                throttles,
                errors,
                latencies.quantile(0.5),
                latencies.quantile(0.99),
                latencies.max(),
                latencies.buckets());
    }
}
