package io.enipam.observability.history;

import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Calls of the cloud over some time, each retry on its own.
 *
 * @param p50 half of them took no longer, as far as the buckets of the histogram tell; empty if there were none
 * @param p99 99 percent of them took no longer
 * @param apis those that were called, or have calls in this minute of the clock, or may not be called now
 */
public record CloudCount(Optional<Duration> p50, Optional<Duration> p99, List<Api> apis) {
    /**
     * One API.
     *
     * @param api the cloud's name of it
     * @param calls calls made
     * @param failed how many failed
     * @param throttled how many of these the cloud throttled
     * @param used calls made in this minute of the clock
     * @param allowed calls allowed in it
     * @param limit calls a minute as configured
     * @param inhibited whether it may not be called now
     */
    public record Api(
            String api, long calls, long failed, long throttled, int used, int allowed, int limit, boolean inhibited) {
        private boolean matters() {
            return calls > 0 || used > 0 || inhibited;
        }
    }

    public CloudCount {
        apis = List.copyOf(apis);
    }

    public long calls() {
        return apis.stream().mapToLong(Api::calls).sum();
    }

    public long failed() {
        return apis.stream().mapToLong(Api::failed).sum();
    }

    public long throttled() {
        return apis.stream().mapToLong(Api::throttled).sum();
    }

    /** What came between two readings of the call book, whose numbers only grow; the earlier one may be empty. */
    static CloudCount between(List<ApiQuotaStatus> earlier, List<ApiQuotaStatus> later) {
        Map<String, ApiQuotaStatus> before =
                earlier.stream().collect(Collectors.toMap(ApiQuotaStatus::api, Function.identity()));
        List<Api> apis = new ArrayList<>();
        LatencySnapshot took = LatencySnapshot.NONE;
        for (ApiQuotaStatus now : later) {
            Optional<ApiQuotaStatus> then = Optional.ofNullable(before.get(now.api()));
            apis.add(new Api(
                    now.api(),
                    now.calls() - then.map(ApiQuotaStatus::calls).orElse(0L),
                    failures(now) - then.map(CloudCount::failures).orElse(0L),
                    now.throttles() - then.map(ApiQuotaStatus::throttles).orElse(0L),
                    now.quota().used(),
                    now.quota().allowed(),
                    now.quota().limit(),
                    now.quota().inhibitedUntil().isPresent()));
            took = took.plus(now.latencies()
                    .since(then.map(ApiQuotaStatus::latencies).orElse(LatencySnapshot.NONE)));
        }
        return new CloudCount(
                took.quantile(0.5),
                took.quantile(0.99),
                apis.stream().filter(Api::matters).toList());
    }

    private static long failures(ApiQuotaStatus api) {
        return api.errors().values().stream().mapToLong(Long::longValue).sum();
    }
}
