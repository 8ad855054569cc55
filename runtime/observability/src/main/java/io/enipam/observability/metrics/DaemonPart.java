package io.enipam.observability.metrics;

import io.enipam.engine.EngineStatus;
import io.enipam.events.EventRing.EventCounts;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The daemon itself: what it is, whether it serves, and what it told.
 *
 * @param ready as {@code /readyz} says it
 */
record DaemonPart(String version, BooleanSupplier ready, Supplier<EngineStatus> status, EventCounts events)
        implements Part {
    private static final Metric BUILD =
            Metric.info("enipam_build_info", "Which build this is, and on which Java it runs.", "version", "java");
    private static final Metric READY =
            Metric.gauge("enipam_ready", "1 while ADD is served, as /readyz says it, else 0.");
    private static final Metric PHASE =
            Metric.gauge("enipam_engine_phase", "1 for the phase that the engine is in.", "phase");
    private static final Metric EVENTS = Metric.counter(
            "enipam_events_total",
            "What 'enipam events' tells, by severity and type; rare types as 'other'.",
            "severity",
            "type");

    @Override
    public String name() {
        return "daemon";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(BUILD, READY, PHASE, EVENTS);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        sheet.put(BUILD, 1, version, Runtime.version().toString());
        sheet.put(READY, ready.getAsBoolean());
        EngineStatus.Phase now = status.get().phase();
        for (EngineStatus.Phase phase : EngineStatus.Phase.values()) {
            sheet.put(PHASE, phase == now, Words.lower(phase));
        }
        events.all().forEach((key, count) -> sheet.put(EVENTS, count, Words.lower(key.severity()), key.type()));
    }
}
