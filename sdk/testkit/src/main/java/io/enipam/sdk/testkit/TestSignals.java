package io.enipam.sdk.testkit;

import io.enipam.sdk.Meter;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.Signals;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/** What a part tells by itself, for a test to look at; nothing is dropped or counted together. Thread-safe. */
public final class TestSignals implements Signals {
    private final Map<List<String>, LongAdder> counters = new ConcurrentHashMap<>();
    private final Map<List<String>, DoubleSupplier> gauges = new ConcurrentHashMap<>();
    private final List<PluginEvent> events = new CopyOnWriteArrayList<>();

    @Override
    public Counter counter(Meter meter, String... values) {
        return counters.computeIfAbsent(series(meter, values), series -> new LongAdder())::add;
    }

    @Override
    public void gauge(Meter meter, DoubleSupplier value, String... values) {
        gauges.put(series(meter, values), value);
    }

    @Override
    public void event(PluginEvent event) {
        events.add(event);
    }

    private static List<String> series(Meter meter, String... values) {
        if (values.length != meter.labels().size()) {
            throw new IllegalArgumentException(
                    "meter " + meter.name() + " has the labels " + meter.labels() + ", got " + List.of(values));
        }
        return key(meter.name(), values);
    }

    private static List<String> key(String meter, String... values) {
        return Stream.concat(Stream.of(meter), Stream.of(values)).toList();
    }

    /** What a counter has for these values of its labels; 0 if nothing was counted. */
    public long count(String meter, String... values) {
        return Optional.ofNullable(counters.get(key(meter, values)))
                .map(LongAdder::sum)
                .orElse(0L);
    }

    /** What a gauge shows now for these values of its labels; NaN if it shows nothing. */
    public double value(String meter, String... values) {
        return Optional.ofNullable(gauges.get(key(meter, values)))
                .map(DoubleSupplier::getAsDouble)
                .orElse(Double.NaN);
    }

    /** The events so far. */
    public List<PluginEvent> events() {
        return List.copyOf(events);
    }
}
