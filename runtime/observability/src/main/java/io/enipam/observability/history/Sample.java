package io.enipam.observability.history;

import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.engine.pool.PoolSummary;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.AbstractHistogram;

/**
 * A finished interval: its counts, and the state at its end.
 *
 * @param sequence from 1, one more for each sample; it goes on over a restart where the samples of the former run are kept
 * @param at the date at its end
 * @param atNanos its end by the monotonic clock
 * @param interval its length, by that clock
 * @param process resources of the process; its {@code cpu} is of the interval
 * @param restarted of the first one of a run of the daemon: how the run before ended, {@code stop} or {@code crash}; else empty text
 */
public record Sample(
        long sequence,
        Instant at,
        long atNanos,
        Duration interval,
        PoolSummary pool,
        Counts counts,
        ProcessGauge process,
        String restarted) {
    /** The same as it is seen now from another run of the daemon: none is younger than now, even if the clock was set back meanwhile. */
    public Sample seen(Instant now, long nanos) {
        long age = Math.max(0, Duration.between(at, now).toNanos());
        return new Sample(sequence, at, nanos - age, interval, pool, counts, process, restarted);
    }

    /** The same as the first one of a run. */
    Sample restarted(String how) {
        return new Sample(sequence, at, atNanos, interval, pool, counts, process, how);
    }

    public record Counts(CallCount add, CallCount del, CloudCount cloud, CallCount commits, GcCount gc) {}

    /**
     * Resources of this process, from proc(5) and the JVM; a value that cannot be read is 0.
     *
     * @param rss resident memory, in bytes
     * @param heapUsed used in the heap, in bytes
     * @param heapMax the most that the heap may have, in bytes
     * @param cpu processor time used since the start
     */
    public record ProcessGauge(long rss, long heapUsed, long heapMax, int threads, int fds, Duration cpu) {
        private static final long KIB = 1024;

        /** Reads them now: a few small files of proc(5), no disk. */
        static ProcessGauge read() {
            return read(Path.of("/proc/self"));
        }

        static ProcessGauge read(Path proc) {
            Runtime jvm = Runtime.getRuntime();
            long rss = 0;
            int threads = 0;
            try {
                for (String line : Files.readAllLines(proc.resolve("status"))) {
                    if (line.startsWith("VmRSS:")) {
                        rss = number(line) * KIB;
                    } else if (line.startsWith("Threads:")) {
                        threads = (int) number(line);
                    }
                }
            } catch (IOException | RuntimeException unreadable) {
                // a gauge that cannot be read must not fail the sample
            }
            return new ProcessGauge(
                    rss,
                    jvm.totalMemory() - jvm.freeMemory(),
                    jvm.maxMemory(),
                    threads,
                    open(proc.resolve("fd")),
                    ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
        }

        private static long number(String line) {
            return Long.parseLong(line.replaceAll("\\D", ""));
        }

        private static int open(Path descriptors) {
            try (DirectoryStream<Path> each = Files.newDirectoryStream(descriptors)) {
                int count = 0;
                for (Path ignored : each) {
                    count++;
                }
                // reading the directory itself has one open
                return Math.max(0, count - 1);
            } catch (IOException | RuntimeException unreadable) {
                return 0;
            }
        }

        ProcessGauge withCpu(Duration used) {
            return new ProcessGauge(rss, heapUsed, heapMax, threads, fds, used);
        }
    }

    /**
     * Calls of one kind in a period.
     *
     * @param done successful calls
     * @param failures failed calls by code; without zeros
     * @param times durations of all of them; empty if none ended
     * @param inFlight calls that had begun and not ended at the end of the period
     */
    public record CallCount(long done, Map<String, Long> failures, Optional<CallTimes> times, long inFlight) {
        static final CallCount NONE = new CallCount(0, Map.of(), Optional.empty(), 0);

        public CallCount {
            Map<String, Long> sorted = new TreeMap<>(failures);
            sorted.values().removeIf(count -> count == 0);
            failures = Collections.unmodifiableMap(sorted);
        }

        public long failed() {
            return failures.values().stream().mapToLong(Long::longValue).sum();
        }

        /** The difference to an earlier count of the same meter. */
        CallCount since(CallCount earlier, Optional<CallTimes> timesSince) {
            Map<String, Long> more = new TreeMap<>();
            failures.forEach((code, count) -> more.put(code, count - earlier.failures.getOrDefault(code, 0L)));
            return new CallCount(done - earlier.done, more, timesSince, inFlight);
        }
    }

    /** Durations of calls, each accurate to one percent. */
    public record CallTimes(Duration p50, Duration p99, Duration max) {
        /** Durations from a histogram of microseconds; empty if it has none. */
        static Optional<CallTimes> of(AbstractHistogram micros) {
            return micros.getTotalCount() == 0
                    ? Optional.empty()
                    : Optional.of(new CallTimes(
                            duration(micros.getValueAtPercentile(50)),
                            duration(micros.getValueAtPercentile(99)),
                            duration(micros.getMaxValue())));
        }

        private static Duration duration(long micros) {
            return Duration.ofNanos(micros * 1_000);
        }
    }

    /**
     * Calls of the cloud in a period; each retry counts.
     *
     * @param p50 the median, as far as the buckets of the histogram show; empty without calls
     * @param apis those that were called, have calls in this minute of the clock, or are blocked now
     */
    public record CloudCount(Optional<Duration> p50, Optional<Duration> p99, List<Api> apis) {
        /**
         * @param api the cloud's name of it
         * @param throttled how many of these the cloud throttled
         * @param used calls made in this minute of the clock
         * @param allowed calls allowed in it
         * @param limit calls a minute as configured
         * @param inhibited whether calls are blocked now
         */
        public record Api(
                String api,
                long calls,
                long failed,
                long throttled,
                int used,
                int allowed,
                int limit,
                boolean inhibited) {
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

        /** The difference of two readings of the call counters, which only grow; the earlier one may be empty. */
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

    /**
     * Garbage collections that were no dry run, as far as polling the last one shows.
     *
     * @param collected leases that they ended
     */
    public record GcCount(long runs, long collected) {
        static final GcCount NONE = new GcCount(0, 0);

        GcCount plus(GcCount more) {
            return new GcCount(runs + more.runs, collected + more.collected);
        }
    }
}
