/**
 * What the daemon measures, as Prometheus reads it. Nothing is counted here: each row of a {@link
 * io.enipam.observability.metrics.MetricGroup} declares a {@link io.enipam.observability.metrics.Metric} and reads at a scrape what its
 * source has counted; {@link io.enipam.observability.metrics.Scrape} makes the text. Labels are of fixed sets, or their source bounds
 * them.
 */
@NullMarked
package io.enipam.observability.metrics;

import org.jspecify.annotations.NullMarked;
