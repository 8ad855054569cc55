package io.enipam.aliyun.calls;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The limit and the metrics of one API. Not thread-safe: its book's lock guards it. */
final class ApiAccount {
    private static final int MOST_CODES = 32;

    private final String api;
    private final MinuteLimit limit;
    private final Latencies latencies = new Latencies();
    private final Latencies workedIn = new Latencies();
    private final Latencies failedIn = new Latencies();
    private final Latencies waited = new Latencies();
    private final Map<String, Long> errors = new HashMap<>();
    private long throttles;

    ApiAccount(String api, MinuteLimit limit) {
        this.api = api;
        this.limit = limit;
    }

    MinuteLimit limit() {
        return limit;
    }

    void worked(Duration took) {
        latencies.add(took);
        workedIn.add(took);
    }

    void failed(String code, Duration took) {
        latencies.add(took);
        failedIn.add(took);
        String known = errors.containsKey(code) || errors.size() < MOST_CODES ? code : ApiBudget.OTHER_CODES;
        errors.merge(known, 1L, Long::sum);
    }

    void throttled() {
        throttles++;
    }

    void waited(Duration took) {
        waited.add(took);
    }

    ApiTimes times() {
        return new ApiTimes(api, workedIn.timing(), failedIn.timing(), waited.timing());
    }

    ApiBudget view() {
        return new ApiBudget(
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
