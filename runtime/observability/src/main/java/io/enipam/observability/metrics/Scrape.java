package io.enipam.observability.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.observability.metrics.Metric.Kind;
import io.enipam.observability.web.Page;
import io.enipam.observability.web.Page.Response;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renders all metrics at each request, in Prometheus' text format or in OpenMetrics if the client accepts that. A
 * failed group is counted and logged once, and the other groups are still shown. Thread-safe.
 */
public final class Scrape implements Page {
    private static final Metric PART_FAILURES = Metric.of(
            Kind.COUNTER,
            "enipam_scrape_part_failures_total{part}",
            "Scrapes at which a part of the metrics could not be read.");
    private static final Metric DROPPED = Metric.of(
            Kind.GAUGE,
            "enipam_scrape_series_dropped",
            "Series that this scrape left out, since a metric had more than " + Sheet.MOST_SERIES + ".");
    private static final Metric DURATION =
            Metric.of(Kind.GAUGE, "enipam_scrape_duration_seconds", "How long it took to read these metrics.");

    /** Metrics of the scrape itself. */
    static final List<Metric> OWN = List.of(PART_FAILURES, DROPPED, DURATION);

    private static final Logger LOG = LoggerFactory.getLogger(Scrape.class);
    private static final String JVM = "jvm";
    private static final int USUAL_BYTES = 1 << 16;

    private final Sources sources;
    private final List<MetricGroup> groups;
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final ExpositionFormatWriter text = PrometheusTextFormatWriter.create();
    private final ExpositionFormatWriter open = OpenMetricsTextFormatWriter.create();

    @GuardedBy("this")
    private Optional<PrometheusRegistry> jvm = Optional.empty();

    public Scrape(Sources sources) {
        this.sources = sources;
        this.groups = sources.groups();
    }

    @Override
    public Response answer(Asked asked) throws IOException {
        ExpositionFormatWriter writer = open.accepts(asked.accept()) ? open : text;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
        writer.write(bytes, new MetricSnapshots(read()), EscapingScheme.UNDERSCORE_ESCAPING);
        return new Response(200, writer.getContentType(), bytes.toByteArray());
    }

    private List<MetricSnapshot> read() {
        long from = System.nanoTime();
        Sheet sheet = new Sheet();
        Reading now = new Reading(sources);
        for (MetricGroup group : groups) {
            try {
                group.collect(sheet, now);
            } catch (Exception | LinkageError e) {
                failed(group.name(), e);
            }
        }
        List<MetricSnapshot> all = new ArrayList<>();
        try {
            jvm().forEach(all::add);
        } catch (RuntimeException | LinkageError e) {
            failed(JVM, e);
        }
        Sheet.Series partFailures = sheet.series(PART_FAILURES);
        groups.forEach(group -> partFailures.put(failuresOf(group.name()), group.name()));
        partFailures.put(failuresOf(JVM), JVM);
        sheet.series(DROPPED).put(sheet.dropped());
        sheet.series(DURATION).put((System.nanoTime() - from) / 1e9);
        all.addAll(sheet.snapshots());
        return all;
    }

    /** The process and its JVM, as the library has them. Loaded with the first scrape, since that takes long. */
    private synchronized MetricSnapshots jvm() {
        if (jvm.isEmpty()) {
            PrometheusRegistry fresh = new PrometheusRegistry();
            JvmMemoryMetrics.builder().register(fresh);
            JvmGarbageCollectorMetrics.builder().register(fresh);
            JvmThreadsMetrics.builder().register(fresh);
            ProcessMetrics.builder().register(fresh);
            jvm = Optional.of(fresh);
        }
        return jvm.get().scrape();
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
