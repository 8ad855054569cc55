package io.enipam.observability.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.observability.web.Page;
import io.enipam.observability.web.Page.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrapeTest {
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; q=0.8, text/plain; q=0.2";

    @TempDir
    static Path directory;

    @Test
    void tenThousandPodsErrorCodesEventsEnisAndPluginsMakeAsManySeriesAsAThousand() throws IOException {
        Exposition thousand = scraped(MeasuredWorld.of(1_000, directory));
        Exposition tenThousand = scraped(MeasuredWorld.of(10_000, directory));

        assertThat(perMetric(tenThousand)).isEqualTo(perMetric(thousand));
        assertThat(tenThousand.series().keySet())
                .hasSizeLessThan(3_500)
                .noneMatch(series -> series.contains("pod-") || series.contains("container-"));
        assertThat(tenThousand.value("enipam_leases")).isEqualTo(10_000);
        assertThat(tenThousand.value("enipam_events_total{severity=\"info\",type=\"other\"}"))
                .isGreaterThan(9_000);
        assertThat(tenThousand.value("enipam_cloud_errors_total{api=\"DescribeVSwitches\",code=\"other\"}"))
                .isGreaterThan(9_000);
        assertThat(tenThousand.value("enipam_enis{state=\"other\"}")).isEqualTo(10_000);
        assertThat(tenThousand.value("enipam_scrape_series_dropped"))
                .as("every source has a bound of its own")
                .isZero();
    }

    @Test
    void whatNoSourceBoundsMeetsTheSheetsOwnBoundAndThatIsTold() {
        Sheet sheet = new Sheet();
        Sheet.Series careless = sheet.series(Metric.of(Metric.Kind.GAUGE, "enipam_careless{pod}", "By pod."));
        for (int i = 0; i < 10_000; i++) {
            careless.put(i, "pod-" + i);
            careless.put(i, "x".repeat(1_000) + i);
        }

        assertThat(sheet.snapshots())
                .singleElement()
                .satisfies(snapshot -> assertThat(snapshot.getDataPoints()).hasSize(Sheet.MOST_SERIES));
        assertThat(sheet.dropped()).isGreaterThan(9_000);
    }

    private static Map<String, Long> perMetric(Exposition page) {
        Map<String, Long> counts = new TreeMap<>();
        page.series().keySet().stream()
                .filter(key -> key.startsWith("enipam_") || key.startsWith("terway_") || key.startsWith("aliyun_"))
                .forEach(key -> counts.merge(key.replaceFirst("\\{.*", ""), 1L, Long::sum));
        return counts;
    }

    @Test
    void prometheusGetsItsTextAndWhoAsksForOpenmetricsGetsThat() throws IOException {
        Scrape scrape = new Scrape(MeasuredWorld.of(3, directory));

        assertThat(scrape.answer(new Page.Asked(false, "")).contentType()).startsWith("text/plain; version=0.0.4");
        Response open = scrape.answer(new Page.Asked(false, OPEN_METRICS));
        assertThat(open.contentType()).startsWith("application/openmetrics-text; version=1.0.0");
        assertThat(text(open)).endsWith("# EOF\n");
        assertThat(new Exposition(text(open)).names()).contains("enipam_gc_runs_total");
    }

    @Test
    void whatIsToldIsWhatIsDeclaredWithItsTypeAndHelp() throws IOException {
        Sources sources = MeasuredWorld.of(3, directory);
        Exposition page = scraped(sources);
        List<Metric> declared = new ArrayList<>(Scrape.OWN);
        sources.groups().forEach(group -> declared.addAll(group.metrics()));

        assertThat(declared).extracting(Metric::name).doesNotHaveDuplicates();
        for (Map.Entry<String, String> told : page.types().entrySet()) {
            if (told.getKey().startsWith("jvm_") || told.getKey().startsWith("process_")) {
                continue;
            }
            assertThat(declared)
                    .filteredOn(metric -> metric.name().equals(told.getKey()))
                    .singleElement()
                    .satisfies(metric -> {
                        assertThat(told.getValue()).isEqualTo(type(metric));
                        assertThat(page.helps()).containsEntry(metric.name(), metric.help());
                    });
        }
        assertThat(declared).allSatisfy(metric -> assertThat(metric.name()).matches("[a-z][a-z0-9_]+"));
        assertThat(declared)
                .filteredOn(metric -> metric.name().startsWith("enipam_") && metric.kind() == Metric.Kind.HISTOGRAM)
                .allSatisfy(metric -> assertThat(metric.name()).endsWith("_seconds"));
    }

    private static String type(Metric metric) {
        return switch (metric.kind()) {
            case UNTYPED -> "untyped";
            case INFO -> "gauge";
            default -> MetricGroup.lower(metric.kind());
        };
    }

    @Test
    void aPartThatFailsIsCountedAndTheOthersAreTold() throws IOException {
        Sources sources = MeasuredWorld.of(3, directory.resolve("is-gone"));
        Exposition page = scraped(sources);

        assertThat(page.value("enipam_scrape_part_failures_total{part=\"database\"}"))
                .isEqualTo(1);
        assertThat(page.value("enipam_scrape_part_failures_total{part=\"pool\"}"))
                .isZero();
        assertThat(page.value("enipam_db_writable"))
                .as("what was read before stays")
                .isEqualTo(1);
        assertThat(page.value("enipam_leases")).isEqualTo(3);
    }

    @Test
    void thePluginsAreReadOnceForAllOfTheirMetrics() throws IOException {
        AtomicInteger reads = new AtomicInteger();
        Sources some = MeasuredWorld.of(3, directory);
        Exposition page = scraped(new Sources(
                some.daemon(),
                some.time(),
                some.engine(),
                some.database(),
                some.meters(),
                some.cloud(),
                some.cluster(),
                new Sources.Plugins(
                        () -> {
                            reads.incrementAndGet();
                            return some.plugins().reports().get();
                        },
                        List::of,
                        List::of)));

        assertThat(page.value("enipam_plugin_calls_total{plugin=\"plugin-2\"}")).isZero();
        assertThat(reads).hasValue(1);
    }

    @Test
    void aHistogramOnlyGrowsAndItsBucketsAddUp() throws IOException {
        Exposition page = scraped(MeasuredWorld.of(100, directory));
        String labels = "{api=\"DescribeVSwitches\",le=\"%s\",outcome=\"error\"}";
        double before = 0;
        for (String bound : List.of("0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "20.0", "+Inf")) {
            double now = page.value("enipam_cloud_call_duration_seconds_bucket" + labels.formatted(bound));
            assertThat(now).as(bound).isGreaterThanOrEqualTo(before);
            before = now;
        }
        String whole = "{api=\"DescribeVSwitches\",outcome=\"error\"}";
        assertThat(page.value("enipam_cloud_call_duration_seconds_count" + whole))
                .isEqualTo(100)
                .isEqualTo(before);
        // 0 + 1 + ... + 99 ms
        assertThat(page.value("enipam_cloud_call_duration_seconds_sum" + whole)).isEqualTo(4.95);
        assertThat(page.value("aliyun_openapi_latency_sum{api=\"DescribeVSwitches\",error=\"true\"}"))
                .as("terway's are milliseconds")
                .isEqualTo(4_950);
    }

    /** After a wanted change run this once with {@code -Dreference.write=true}. */
    @Test
    void theTableForPeopleSaysWhatTheCodeDeclares() throws IOException {
        Path file = Path.of("../deploy/prometheus/METRICS.md");
        List<String> lines =
                MetricGroup.reference(MeasuredWorld.of(1, directory).groups());
        if (Boolean.getBoolean("reference.write")) {
            Files.write(file, lines);
        }

        assertThat(lines).isEqualTo(Files.readAllLines(file));
    }

    private static Exposition scraped(Sources sources) throws IOException {
        return new Exposition(text(new Scrape(sources).answer(new Page.Asked(false, ""))));
    }

    private static String text(Response answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }
}
