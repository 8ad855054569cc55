package io.enipam.observability.metrics;

import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot;
import io.enipam.aliyun.calls.LatencyHistogram.LatencySnapshot.Bucket;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values of one scrape. Not thread-safe. */
final class Sheet {
    /** The most series of a metric, whatever its source reports. */
    static final int MOST_SERIES = 512;

    private static final int LONGEST_VALUE = 128;

    enum Unit {
        SECONDS(1e9),
        /** Terway's unit. */
        MILLISECONDS(1e6);

        private final double nanos;

        Unit(double nanos) {
            this.nanos = nanos;
        }

        private double of(Duration time) {
            return time.toNanos() / nanos;
        }
    }

    private final Map<Metric, Map<Labels, DataPointSnapshot>> points = new LinkedHashMap<>();
    private long dropped;

    Series series(Metric metric) {
        return new Series(metric);
    }

    /** The values of one metric, exact up to 2^53. A second value of a series is ignored. */
    final class Series {
        private final Metric metric;

        private Series(Metric metric) {
            this.metric = metric;
        }

        void put(double value, String... labels) {
            Labels at = labels(metric, labels);
            add(
                    at,
                    switch (metric.kind()) {
                        case GAUGE -> new GaugeSnapshot.GaugeDataPointSnapshot(value, at, null);
                        case COUNTER -> new CounterSnapshot.CounterDataPointSnapshot(value, at, null, 0L);
                        case UNTYPED -> new UnknownSnapshot.UnknownDataPointSnapshot(value, at, null);
                        case INFO -> new InfoSnapshot.InfoDataPointSnapshot(at);
                        case HISTOGRAM -> throw new IllegalArgumentException(metric.name() + " is a histogram");
                    });
        }

        void put(boolean value, String... labels) {
            put(value ? 1.0 : 0.0, labels);
        }

        void put(LatencySnapshot timing, Unit unit, String... labels) {
            if (metric.kind() != Metric.Kind.HISTOGRAM) {
                throw new IllegalArgumentException(metric.name() + " is no histogram");
            }
            Labels at = labels(metric, labels);
            List<Double> bounds = new ArrayList<>();
            List<Long> counts = new ArrayList<>();
            for (Bucket bucket : timing.buckets()) {
                bounds.add(bucket.most().map(unit::of).orElse(Double.POSITIVE_INFINITY));
                counts.add(bucket.count());
            }
            add(
                    at,
                    HistogramSnapshot.HistogramDataPointSnapshot.builder()
                            .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
                            .sum(unit.of(timing.sum()))
                            .labels(at)
                            .build());
        }

        private void add(Labels labels, DataPointSnapshot point) {
            Map<Labels, DataPointSnapshot> series = points.computeIfAbsent(metric, name -> new LinkedHashMap<>());
            if (series.size() < MOST_SERIES || series.containsKey(labels)) {
                series.putIfAbsent(labels, point);
            } else {
                dropped++;
            }
        }
    }

    private static Labels labels(Metric metric, String[] values) {
        if (values.length != metric.labels().size()) {
            throw new IllegalArgumentException(metric.name() + " has labels " + metric.labels());
        }
        return Labels.of(
                metric.labels(),
                Arrays.stream(values)
                        .map(value -> value.substring(0, Math.min(LONGEST_VALUE, value.length())))
                        .toList());
    }

    /** The number of dropped series beyond {@value #MOST_SERIES} of a metric. */
    long dropped() {
        return dropped;
    }

    List<MetricSnapshot> snapshots() {
        return points.entrySet().stream()
                .map(entry -> snapshot(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static MetricSnapshot snapshot(Metric metric, Map<Labels, DataPointSnapshot> series) {
        MetricMetadata about = new MetricMetadata(metric.stem(), metric.help());
        return switch (metric.kind()) {
            case GAUGE -> new GaugeSnapshot(about, all(series, GaugeSnapshot.GaugeDataPointSnapshot.class));
            case COUNTER -> new CounterSnapshot(about, all(series, CounterSnapshot.CounterDataPointSnapshot.class));
            case UNTYPED -> new UnknownSnapshot(about, all(series, UnknownSnapshot.UnknownDataPointSnapshot.class));
            case HISTOGRAM ->
                new HistogramSnapshot(about, all(series, HistogramSnapshot.HistogramDataPointSnapshot.class));
            case INFO -> new InfoSnapshot(about, all(series, InfoSnapshot.InfoDataPointSnapshot.class));
        };
    }

    private static <T> List<T> all(Map<Labels, DataPointSnapshot> series, Class<T> type) {
        return series.values().stream().map(type::cast).toList();
    }
}
