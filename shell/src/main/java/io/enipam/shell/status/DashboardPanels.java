package io.enipam.shell.status;

import com.google.protobuf.util.Durations;
import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.chart.SampleSeries;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.CodeCount;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.ProcessGauge;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The parts of a frame of {@code top}, of so many columns: pool, calls, API budgets and process. */
record DashboardPanels(Glyphs glyphs, int width, SampleSeries series) {
    private static final int LONGEST_SPARK = 120;
    private static final int POOL_NUMBERS_END = 17;
    private static final int CALL_RATE_END = 19;
    private static final int CALL_P50_END = 30;
    private static final int CALL_P99_END = 41;
    private static final int CALL_FAILED_END = 50;
    private static final int API_NAME = 30;
    private static final int API_NUMBERS_END = 42;
    private static final int LONGEST_API_BAR = 60;
    /** The share of its budget from which on an API is nearly at its limit. */
    private static final double NEARLY = 0.8;

    private static final double MIB = 1 << 20;

    /** How many resources are in which state, against capacity and watermarks, and how that was in the last ten minutes. */
    List<StyledLine> pool(Pool pool) {
        PoolCounts counts = pool.getCounts();
        int leaving = counts.getDisposing() + counts.getInvalid();
        int staying = counts.getIdle() + counts.getInUse() + counts.getCooling() + counts.getReserved();
        int held = staying + leaving + counts.getCreating();
        StyledLine head = new StyledLine()
                .add(Tone.HEAD, "POOL")
                .add("  " + pool.getKind() + " by " + pool.getPolicy() + ", " + held + " of " + pool.getCapacity()
                        + ", keeps " + pool.getMinIdle() + " to " + pool.getMaxIdle() + " idle");
        if (pool.getWaiting() > 0) {
            head.add("  ").add(Tone.BAD, pool.getWaiting() + " waiting");
        }
        Tone idle = counts.getIdle() == 0 ? Tone.BAD : counts.getIdle() < pool.getMinIdle() ? Tone.WAIT : Tone.GOOD;
        Tone invalid = counts.getInvalid() > 0 ? Tone.BAD : Tone.PLAIN;
        return List.of(
                head,
                poolRow("in use", PoolCounts::getInUse, Tone.PLAIN, pool),
                poolRow("idle", PoolCounts::getIdle, idle, pool),
                poolRow("cooling", PoolCounts::getCooling, Tone.PLAIN, pool),
                poolRow("reserved", PoolCounts::getReserved, Tone.PLAIN, pool),
                poolRow("creating", PoolCounts::getCreating, Tone.PLAIN, pool),
                poolRow("leaving", states -> states.getDisposing() + states.getInvalid(), invalid, pool));
    }

    private StyledLine poolRow(String label, ToIntFunction<PoolCounts> count, Tone tone, Pool pool) {
        int room = width - POOL_NUMBERS_END - 4;
        int spark = Math.min(LONGEST_SPARK, room / 2);
        int number = count.applyAsInt(pool.getCounts());
        double capacity = Math.max(1, pool.getCapacity());
        String filled = glyphs.bar(number / capacity, room - spark);
        boolean idle = label.equals("idle");
        if (idle) {
            filled = glyphs.marked(filled, pool.getMinIdle() / capacity);
            filled = glyphs.marked(filled, pool.getMaxIdle() / capacity);
        }
        ToDoubleFunction<HistorySample> value = sample -> count.applyAsInt(sample.getCounts());
        // a shortage shows in the lowest number of idle ones, and in the highest of the others
        double[] course = series.extremes(spark, value, idle ? Math::min : Math::max);
        return new StyledLine()
                .add("  ")
                .add(Tone.LABEL, label)
                .right(POOL_NUMBERS_END, tone, Integer.toString(number))
                .add("  ")
                .add(tone, filled)
                .add("  ")
                .add(glyphs.spark(course))
                .opens(label, "pool", label.equals("in use") ? "inuse" : held(label) ? "idle" : "show");
    }

    private static boolean held(String label) {
        return List.of("idle", "cooling", "reserved").contains(label);
    }

    /**
     * ADD, DEL, commits and calls of the cloud: how many a second in the last minute, how long they took in the latest interval
     * that had some, how many failed in the last ten minutes.
     */
    List<StyledLine> calls() {
        return List.of(
                new StyledLine()
                        .add(Tone.HEAD, "CALLS")
                        .right(CALL_RATE_END, Tone.HEAD, "A SECOND")
                        .right(CALL_P50_END, Tone.HEAD, "P50")
                        .right(CALL_P99_END, Tone.HEAD, "P99")
                        .right(CALL_FAILED_END, Tone.HEAD, "FAILED")
                        .add(Tone.LABEL, callSpark() >= 16 ? "  the last ten minutes" : ""),
                callRow("add", HistorySample::getAdd).opens("add", "trace", "--failed"),
                callRow("del", HistorySample::getDel).opens("del", "trace", "--failed"),
                callRow("commits", HistorySample::getCommits),
                callRow("cloud", sample -> asCalls(sample.getCloud())).opens("cloud", "ecs", "calls"));
    }

    private int callSpark() {
        return Math.max(0, Math.min(LONGEST_SPARK, width - CALL_FAILED_END - 2));
    }

    private StyledLine callRow(String label, Function<HistorySample, CallMeter> calls) {
        CallMeter latest = series.latest(calls);
        long failed = series.sum(sample -> calls.apply(sample).getFailed());
        ToLongFunction<HistorySample> ended = sample -> SampleSeries.ended(calls.apply(sample));
        double rate = series.rate(ended::applyAsLong);
        double[] peaks = series.extremes(
                callSpark(), sample -> SampleSeries.perSecond(sample, ended.applyAsLong(sample)), Math::max);
        StyledLine row = new StyledLine()
                .add("  ")
                .add(Tone.LABEL, label)
                .right(CALL_RATE_END, Tone.PLAIN, String.format(Locale.ROOT, "%.2f", rate))
                .right(CALL_P50_END, Tone.PLAIN, latest.hasP50() ? TimeFormat.took(latest.getP50()) : "-")
                .right(CALL_P99_END, Tone.PLAIN, latest.hasP99() ? TimeFormat.took(latest.getP99()) : "-")
                .right(CALL_FAILED_END, failed > 0 ? Tone.BAD : Tone.PLAIN, Long.toString(failed))
                .add("  ")
                .add(glyphs.spark(peaks));
        Map<String, Long> byCode = series.samples().stream()
                .flatMap(sample -> calls.apply(sample).getFailuresList().stream())
                .collect(Collectors.toMap(CodeCount::getCode, CodeCount::getCount, Long::sum, TreeMap::new));
        String why = byCode.entrySet().stream()
                .map(code -> code.getKey() + " " + code.getValue())
                .collect(Collectors.joining(", "));
        return why.isEmpty() ? row : row.add("  ").add(Tone.BAD, why);
    }

    private static CallMeter asCalls(CloudMeter cloud) {
        CallMeter.Builder calls = CallMeter.newBuilder()
                .setDone(cloud.getCalls() - cloud.getFailed())
                .setFailed(cloud.getFailed());
        if (cloud.getThrottled() > 0) {
            calls.addFailures(CodeCount.newBuilder().setCode("throttled").setCount(cloud.getThrottled()));
        }
        if (cloud.hasP50()) {
            calls.setP50(cloud.getP50()).setP99(cloud.getP99());
        }
        return calls.build();
    }

    /** How much of its budget each API of the cloud has used in this minute, the most used first; only those in use. */
    List<StyledLine> apis(List<CloudApiBudget> apis, Instant now) {
        List<StyledLine> rows = new ArrayList<>();
        rows.add(new StyledLine()
                .add(Tone.HEAD, "API BUDGET")
                .add(Tone.LABEL, "  calls in this minute of those allowed"));
        Comparator<CloudApiBudget> mostUsedFirst = Comparator.comparing(
                        (CloudApiBudget api) -> !api.hasInhibitedUntil())
                .thenComparing(api -> -share(api))
                .thenComparing(CloudApiBudget::getApi);
        apis.stream()
                .filter(api -> api.getUsed() > 0 || api.hasInhibitedUntil() || api.getAllowed() < api.getLimit())
                .sorted(mostUsedFirst)
                .map(api -> apiRow(api, now))
                .forEach(rows::add);
        if (rows.size() == 1) {
            rows.add(new StyledLine().add(Tone.LABEL, "  the cloud has not been called in this minute"));
        }
        return rows;
    }

    private StyledLine apiRow(CloudApiBudget api, Instant now) {
        boolean scarce = share(api) >= NEARLY || api.getAllowed() < api.getLimit();
        Tone tone = api.hasInhibitedUntil() ? Tone.BAD : scarce ? Tone.WAIT : Tone.PLAIN;
        StyledLine row = new StyledLine()
                .add("  ")
                .opens(api.getApi(), "ecs", "budget")
                .add(Tone.LABEL, api.getApi())
                .to(API_NAME)
                .right(API_NUMBERS_END, tone, api.getUsed() + "/" + api.getAllowed())
                .add("  ");
        int bar = Math.max(0, Math.min(LONGEST_API_BAR, width - API_NUMBERS_END - 2));
        return api.hasInhibitedUntil()
                ? row.add(Tone.BAD, "throttled, again in " + TimeFormat.left(api.getInhibitedUntil(), now))
                : row.add(tone, glyphs.bar(share(api), bar));
    }

    private static double share(CloudApiBudget api) {
        return api.getAllowed() == 0 ? 1 : (double) api.getUsed() / api.getAllowed();
    }

    StyledLine process() {
        StyledLine row = new StyledLine().add(Tone.HEAD, "DAEMON");
        if (series.samples().isEmpty()) {
            return row.add(Tone.LABEL, "  the first sample comes within five seconds");
        }
        HistorySample last = series.samples().get(series.samples().size() - 1);
        ProcessGauge process = last.getProcess();
        double interval = Durations.toSecondsAsDouble(last.getInterval());
        double cpu = interval == 0 ? 0 : Durations.toSecondsAsDouble(process.getCpu()) / interval * 100;
        return row.add(String.format(
                Locale.ROOT,
                "  rss %.0f MiB  heap %.0f of %.0f MiB  cpu %.1f%%  %d threads  %d files",
                process.getRss() / MIB,
                process.getHeapUsed() / MIB,
                process.getHeapMax() / MIB,
                cpu,
                process.getThreads(),
                process.getFds()));
    }
}
