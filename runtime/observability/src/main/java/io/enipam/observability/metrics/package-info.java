/**
 * The daemon's measurements in Prometheus' format. This package counts nothing: each row of a
 * {@link io.enipam.observability.metrics.MetricGroup} declares a {@link io.enipam.observability.metrics.Metric} and
 * reads the counts of its source at a scrape; {@link io.enipam.observability.metrics.Scrape} renders the text. Labels
 * come from fixed sets, or their source bounds them.
 */
@NullMarked
package io.enipam.observability.metrics;

import org.jspecify.annotations.NullMarked;
