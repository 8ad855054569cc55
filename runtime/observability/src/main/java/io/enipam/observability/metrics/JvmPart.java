package io.enipam.observability.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Optional;

/**
 * The process and its JVM, by the library's own instrumentation and under its names. It is loaded when somebody scrapes for the
 * first time, since it takes longer than all that the daemon does at a start for metrics. Thread-safe.
 */
final class JvmPart {
    @GuardedBy("this")
    private Optional<PrometheusRegistry> registry = Optional.empty();

    synchronized MetricSnapshots collect() {
        if (registry.isEmpty()) {
            PrometheusRegistry fresh = new PrometheusRegistry();
            JvmMemoryMetrics.builder().register(fresh);
            JvmGarbageCollectorMetrics.builder().register(fresh);
            JvmThreadsMetrics.builder().register(fresh);
            ProcessMetrics.builder().register(fresh);
            registry = Optional.of(fresh);
        }
        return registry.get().scrape();
    }
}
