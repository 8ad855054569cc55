package io.enipam.observability.metrics;

import io.enipam.observability.web.Answer;
import io.enipam.observability.web.Page;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page of all metrics, read when it is asked for: Prometheus' text format, or OpenMetrics for who asks for that. A part that
 * fails is counted and logged once, and the others are told all the same. Thread-safe.
 */
public final class Scrape implements Page {
    static final Metric PART_FAILURES = Metric.counter(
            "enipam_scrape_part_failures_total", "Scrapes at which a part of the metrics could not be read.", "part");
    static final Metric DROPPED = Metric.gauge(
            "enipam_scrape_series_dropped",
            "Series that this scrape left out, since a metric had more than " + Sheet.MOST_SERIES + ".");
    static final Metric DURATION =
            Metric.gauge("enipam_scrape_duration_seconds", "How long it took to read these metrics.");

    private static final Logger LOG = LoggerFactory.getLogger(Scrape.class);
    private static final String JVM = "jvm";
    private static final int USUAL_BYTES = 1 << 16;

    private final List<Part> parts;
    private final Supplier<Moment> moments;
    private final JvmPart jvm = new JvmPart();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final ExpositionFormatWriter text = PrometheusTextFormatWriter.create();
    private final ExpositionFormatWriter open = OpenMetricsTextFormatWriter.create();

    public Scrape(Sources sources) {
        this(sources.parts(), sources::moment);
    }

    Scrape(List<Part> parts, Supplier<Moment> moments) {
        this.parts = parts;
        this.moments = moments;
    }

    @Override
    public Answer answer(Asked asked) throws IOException {
        ExpositionFormatWriter writer = open.accepts(asked.accept()) ? open : text;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
        writer.write(bytes, new MetricSnapshots(read()), EscapingScheme.UNDERSCORE_ESCAPING);
        return new Answer(200, writer.getContentType(), bytes.toByteArray());
    }

    private List<MetricSnapshot> read() {
        long from = System.nanoTime();
        Sheet sheet = new Sheet();
        Moment moment = moments.get();
        for (Part part : parts) {
            try {
                part.collect(sheet, moment);
            } catch (Exception | LinkageError e) {
                failed(part.name(), e);
            }
        }
        List<MetricSnapshot> all = new ArrayList<>();
        try {
            jvm.collect().forEach(all::add);
        } catch (RuntimeException | LinkageError e) {
            failed(JVM, e);
        }
        parts.forEach(part -> sheet.put(PART_FAILURES, failuresOf(part.name()), part.name()));
        sheet.put(PART_FAILURES, failuresOf(JVM), JVM);
        sheet.put(DROPPED, sheet.dropped());
        sheet.put(DURATION, (System.nanoTime() - from) / 1e9);
        all.addAll(sheet.snapshots());
        return all;
    }

    private void failed(String part, Throwable error) {
        LongAdder count = failures.computeIfAbsent(part, name -> new LongAdder());
        if (count.sum() == 0) {
            LOG.warn("the metrics of {} cannot be read; this is logged once", part, error);
        }
        count.increment();
    }

    private long failuresOf(String part) {
        return failures.getOrDefault(part, new LongAdder()).sum();
    }
}
