/**
 * What the daemon measures, as Prometheus reads it. Nothing is counted here: each {@link io.enipam.observability.metrics.Part} reads, when
 * somebody scrapes, what its source has counted already, and puts it on a {@link io.enipam.observability.metrics.Sheet}; {@link
 * io.enipam.observability.metrics.Scrape} makes the text. A metric that no {@link io.enipam.observability.metrics.Metric} declares cannot be
 * told, so {@link io.enipam.observability.metrics.Catalogue} is complete. Labels are of fixed sets, or their source bounds them.
 */
@NullMarked
package io.enipam.observability.metrics;

import org.jspecify.annotations.NullMarked;
