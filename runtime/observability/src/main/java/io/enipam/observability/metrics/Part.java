package io.enipam.observability.metrics;

import java.util.List;

/** Some metrics that come from one source. Thread-safe. */
interface Part {
    /** What this part is about, one or two words. */
    String name();

    /** All that it may tell. */
    List<Metric> metrics();

    /**
     * Reads them now. What it throws costs this part alone.
     *
     * @param moment what several parts read
     *
     * @throws Exception if the source cannot be read
     */
    void collect(Sheet sheet, Moment moment) throws Exception;
}
