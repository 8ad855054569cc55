package io.enipam.sdk;

import java.util.function.DoubleSupplier;

/**
 * What a {@link Part} tells by itself: numbers in {@code /metrics}, events in {@code events}. Thread-safe; no method blocks.
 *
 * <p>A metric is called {@code enipam_plugin_ID_NAME}, a counter with {@code _total} behind it; dashes are underscores there. It has the
 * label {@code plugin}, and those of its meter. Of two plugins whose ids and meters give one name the first by id is shown.
 *
 * <p><b>Bounds.</b> A plugin has at most 100 meters; each has at most {@value #MOST_SERIES} combinations of label values in the life of
 * the daemon, and counts further ones under {@value #OTHER} for each label, which {@code doctor} says. So no label may hold a name that
 * a client can choose, such as a pod's.
 *
 * <pre>{@code
 * private static final Meter GRANTS = Meter.of("grants", "Addresses that were granted.", "range");
 * ...
 * host.signals().counter(GRANTS, range.name()).add(1);
 * host.signals().gauge(Meter.of("free", "Addresses that are free."), () -> free.get());
 * }</pre>
 */
public interface Signals {
    /** The most combinations of label values of one meter. */
    int MOST_SERIES = 50;

    /** The value of each label of what is beyond them. */
    String OTHER = "other";

    /**
     * The counter of a meter for these values of its labels; the same one each time. It keeps its value while parts are closed and
     * opened, and begins at 0 with the daemon.
     *
     * @param values one for each label; what is longer than 64 characters is cut off
     * @throws IllegalArgumentException if there is not one for each, another meter has the name, or there are too many meters
     */
    Counter counter(Meter meter, String... values);

    /**
     * Shows a value until the part is closed; a later one for the same meter and values takes its place.
     *
     * @param value read every five seconds on a thread of the plugin's; all gauges of a plugin have five seconds together. One that hangs
     *     or throws is not shown, and not read again before it has returned
     * @param values one for each label
     * @throws IllegalArgumentException as {@link #counter}
     */
    void gauge(Meter meter, DoubleSupplier value, String... values);

    /** Publishes an event, or drops it: a plugin may have 60 at once, and one a second from then on. Dropped ones are counted and told. */
    void event(PluginEvent event);

    /** Counts what happened. Thread-safe, and cheap enough for every call. */
    @FunctionalInterface
    interface Counter {
        /** @param more 0 or more; less counts nothing */
        void add(long more);
    }
}
