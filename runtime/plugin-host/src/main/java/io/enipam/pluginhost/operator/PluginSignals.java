package io.enipam.pluginhost.operator;

import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.platform.ReportRateLimiter;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.pluginhost.guard.PluginText;
import io.enipam.sdk.Meter;
import io.enipam.sdk.PluginEvent;
import io.enipam.sdk.Signals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * The metrics and events of one plugin, over all of its parts and openings. Thread-safe; {@code this} guards the meters, and nothing
 * of the plugin's runs under it.
 *
 * <p>Gauges are read every five seconds, one after the other in one guarded call, and what was read is shown for three such turns:
 * a scrape runs none of the plugin's code. A gauge that hangs is left out of the turns until it has returned.
 */
public final class PluginSignals {
    private static final int MOST_METERS = 100;
    private static final int LONGEST_VALUE = 64;
    private static final int MOST_TYPES = 20;
    private static final int BURST = 60;
    private static final long EVENT_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration TELL = Duration.ofMinutes(1);
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final Duration READING = Duration.ofSeconds(5);
    private static final long SHOWN_NANOS = 3 * TURN.toNanos();

    /** Names that metrics of the daemon's own have; the id and the name of a meter together could give the same. */
    public static final Set<String> OWN = Set.of(
            "enipam_plugin_state", "enipam_plugin_calls", "enipam_plugin_call_failures", "enipam_plugin_overdue_calls");

    private final String plugin;
    private final Supplier<GuardedCalls> calls;
    private final TimeSource time;
    private final Scheduler engine;
    private final EventSink events;
    private final Map<String, Family> families = new TreeMap<>();
    /** Of the types that it published. By this. */
    private final Map<String, String> types = new LinkedHashMap<>();
    /** When the events that it may publish at once are as many as can be. By this. */
    private long eventsFullAt;

    /** Counts the events that were dropped. */
    private final ReportRateLimiter<String> dropped;

    private boolean turning;

    /**
     * @param calls where the plugin is called for operators now
     * @param engine where its gauges' turns begin
     */
    public PluginSignals(
            String plugin, Supplier<GuardedCalls> calls, TimeSource time, Scheduler engine, EventSink events) {
        this.plugin = plugin;
        this.calls = calls;
        this.time = time;
        this.engine = engine;
        this.events = events;
        this.eventsFullAt = time.nanoTime();
        this.dropped = new ReportRateLimiter<>(TELL, time::nanoTime);
    }

    /** A meter with its series. */
    private static final class Family {
        final Meter meter;
        final boolean counter;
        final Map<List<String>, LongAdder> counts = new LinkedHashMap<>();
        final Map<List<String>, Gauge> gauges = new LinkedHashMap<>();
        boolean overflowed;

        Family(Meter meter, boolean counter) {
            this.meter = meter;
            this.counter = counter;
        }

        /** The values under which a series is kept: its own, or those of all that are beyond the bound. */
        List<String> bounded(Set<List<String>> known, List<String> values) {
            if (known.contains(values) || known.size() < Signals.MOST_SERIES || values.isEmpty()) {
                return values;
            }
            overflowed = true;
            return Collections.nCopies(values.size(), Signals.OTHER);
        }
    }

    /** A value that is read in turns. */
    private static final class Gauge {
        final LentSignals owner;
        final DoubleSupplier value;
        final AtomicBoolean reading = new AtomicBoolean();
        volatile double read = Double.NaN;
        volatile long readAt;

        Gauge(LentSignals owner, DoubleSupplier value) {
            this.owner = owner;
            this.value = value;
        }
    }

    /**
     * A metric at one moment.
     *
     * @param name in Prometheus, a counter's without {@code _total}
     * @param labels names, the plugin's first
     * @param values by the labels' values
     */
    public record Metric(
            String name, boolean counter, String help, List<String> labels, Map<List<String>, Double> values) {}

    /** What one opening is lent, until {@link #end}. */
    public Signals lend() {
        return new LentSignals();
    }

    /** What was lent shows nothing more: its gauges go, and no event of it is published. Its counters stay. */
    public synchronized void end(Signals lent) {
        if (lent instanceof LentSignals mine) {
            mine.ended = true;
            families.values().forEach(family -> family.gauges.values().removeIf(gauge -> gauge.owner == mine));
        }
    }

    private final class LentSignals implements Signals {
        private volatile boolean ended;

        @Override
        public Counter counter(Meter meter, String... values) {
            LongAdder count = count(meter, values);
            return more -> {
                if (more > 0) {
                    count.add(more);
                }
            };
        }

        @Override
        public void gauge(Meter meter, DoubleSupplier value, String... values) {
            addGauge(meter, new Gauge(this, value), values);
        }

        @Override
        public void event(PluginEvent event) {
            if (!ended) {
                publish(event);
            }
        }
    }

    private synchronized LongAdder count(Meter meter, String... values) {
        Family family = family(meter, true, values);
        List<String> key = family.bounded(family.counts.keySet(), shown(values));
        return family.counts.computeIfAbsent(key, fresh -> new LongAdder());
    }

    private synchronized void addGauge(Meter meter, Gauge gauge, String... values) {
        Family family = family(meter, false, values);
        List<String> key = family.bounded(family.gauges.keySet(), shown(values));
        if (!gauge.owner.ended) {
            family.gauges.put(key, gauge);
        }
        if (!turning) {
            turning = true;
            engine.execute(this::turn);
        }
    }

    private Family family(Meter meter, boolean counter, String... values) {
        if (values.length != meter.labels().size()) {
            throw new IllegalArgumentException("meter " + meter.name() + " has the labels " + meter.labels() + ", got "
                    + values.length + " values");
        }
        Family family = families.get(meter.name());
        if (family == null) {
            if (families.size() >= MOST_METERS || OWN.contains(name(meter))) {
                throw new IllegalArgumentException("meter " + meter.name() + " has no place: " + MOST_METERS
                        + " are allowed, and no name of " + String.join(", ", OWN));
            }
            family = new Family(meter, counter);
            families.put(meter.name(), family);
        }
        if (!family.meter.equals(meter) || family.counter != counter) {
            throw new IllegalArgumentException("there is another meter " + meter.name() + " of this plugin");
        }
        return family;
    }

    private String name(Meter meter) {
        return "enipam_plugin_" + plugin.replace('-', '_') + "_" + meter.name();
    }

    private static List<String> shown(String... values) {
        return Arrays.stream(values)
                .map(PluginText::line)
                .map(value -> value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE))
                .toList();
    }

    /** All metrics now; runs none of the plugin's code. */
    public synchronized List<Metric> metrics() {
        List<Metric> all = new ArrayList<>();
        for (Family family : families.values()) {
            Map<List<String>, Double> values = new LinkedHashMap<>();
            family.counts.forEach((key, count) -> values.put(labelled(key), (double) count.sum()));
            family.gauges.forEach((key, gauge) -> current(gauge).ifPresent(value -> values.put(labelled(key), value)));
            all.add(new Metric(
                    name(family.meter),
                    family.counter,
                    family.meter.help(),
                    labelled("plugin", family.meter.labels()),
                    values));
        }
        return all;
    }

    private List<String> labelled(List<String> values) {
        return labelled(plugin, values);
    }

    private static List<String> labelled(String first, List<String> others) {
        List<String> all = new ArrayList<>();
        all.add(first);
        all.addAll(others);
        return all;
    }

    private OptionalDouble current(Gauge gauge) {
        boolean fresh = !Double.isNaN(gauge.read) && time.nanoTime() - gauge.readAt <= SHOWN_NANOS;
        return fresh ? OptionalDouble.of(gauge.read) : OptionalDouble.empty();
    }

    /** Its meters that have more combinations of label values than they may, by name. */
    public synchronized List<String> overflowing() {
        return families.values().stream()
                .filter(family -> family.overflowed)
                .map(family -> name(family.meter))
                .toList();
    }

    /** Reads the gauges, and does so again later as long as there is one. */
    private void turn() {
        List<Gauge> all;
        synchronized (this) {
            all = families.values().stream()
                    .flatMap(family -> family.gauges.values().stream())
                    .toList();
            if (all.isEmpty()) {
                turning = false;
                return;
            }
        }
        calls.get()
                .call("gauges", READING, () -> read(all))
                .whenComplete((done, failure) -> engine.after(TURN, this::turn));
    }

    /** On the plugin's thread. */
    private boolean read(List<Gauge> all) {
        for (Gauge gauge : all) {
            if (gauge.reading.compareAndSet(false, true)) {
                double value = Double.NaN;
                try {
                    value = gauge.value.getAsDouble();
                } catch (RuntimeException | LinkageError e) {
                    value = Double.NaN; // it is not shown, and the others are
                } finally {
                    gauge.readAt = time.nanoTime();
                    gauge.read = value;
                    gauge.reading.set(false);
                }
            }
        }
        return true;
    }

    private void publish(PluginEvent event) {
        Severity severity = switch (event.level()) {
            case INFO -> Severity.INFO;
            case WARNING -> Severity.WARNING;
            case ERROR -> Severity.ERROR;
        };
        String subject = PluginText.line(event.subject());
        String message = PluginText.line(event.message());
        String type;
        long untold;
        synchronized (this) {
            long now = time.nanoTime();
            eventsFullAt = Math.max(eventsFullAt, now);
            boolean room = eventsFullAt - now <= (BURST - 1) * EVENT_NANOS;
            untold = room ? dropped.due(false).getOrDefault(plugin, 0L) : dropped.add(plugin);
            eventsFullAt += room ? EVENT_NANOS : 0;
            type = room ? type(event.type()) : "";
        }
        if (untold > 0) {
            events.warning(
                    "PluginEventsDropped",
                    plugin,
                    "plugin " + plugin + " publishes more than an event a second; " + untold + " were dropped");
        }
        if (!type.isEmpty()) {
            events.publish(severity, type, subject, message, Map.of("plugin", plugin));
        }
    }

    /** Events are counted by type, so that a plugin has a few. */
    private String type(String given) {
        return types.size() < MOST_TYPES || types.containsKey(given)
                ? types.computeIfAbsent(given, fresh -> plugin + "/" + fresh)
                : plugin + "/" + Signals.OTHER;
    }
}
