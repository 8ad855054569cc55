package io.enipam.observability.metrics;

import io.enipam.observability.history.CallCount;
import io.enipam.observability.history.CallTiming;
import io.enipam.observability.history.Meters;
import java.util.List;

/** ADD and DEL, whoever calls them, and garbage collection and reconciliation. */
record CniPart(Meters meters) implements Part {
    private static final Metric DURATION = Metric.histogram(
            "enipam_cni_duration_seconds", "How long ADD and DEL took in the engine.", "command", "outcome");
    private static final Metric FAILURES = Metric.counter(
            "enipam_cni_failures_total", "ADDs and DELs that failed, by the engine's error code.", "command", "code");
    private static final Metric IN_FLIGHT = Metric.gauge("enipam_cni_in_flight", "ADDs and DELs under way.", "command");
    private static final Metric ANSWERS = Metric.counter(
            "enipam_cni_calls_total",
            "Calls of container runtimes that were answered, by the CNI's code; 0 is success.",
            "command",
            "code");
    private static final Metric GC_RUNS =
            Metric.counter("enipam_gc_runs_total", "Garbage collections that were no dry run.");
    private static final Metric GC_COLLECTED =
            Metric.counter("enipam_gc_collected_total", "Leases that garbage collections ended: their pods were gone.");
    private static final Metric RECONCILES =
            Metric.counter("enipam_reconcile_runs_total", "Comparisons of the pool with what the cloud has.");
    private static final Metric FINDINGS = Metric.counter(
            "enipam_reconcile_findings_total", "What these comparisons found that did not fit, by kind.", "kind");
    private static final Metric PROBLEMS = Metric.gauge(
            "enipam_reconcile_last_problems",
            "What stood in the way of the last comparison, such as a cloud that is away.");

    @Override
    public String name() {
        return "calls";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(DURATION, FAILURES, IN_FLIGHT, ANSWERS, GC_RUNS, GC_COLLECTED, RECONCILES, FINDINGS, PROBLEMS);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        Meters.Totals totals = meters.totals();
        calls(sheet, "ADD", totals.add(), meters.timingOfAdd());
        calls(sheet, "DEL", totals.del(), meters.timingOfDel());
        meters.cni()
                .counts()
                .forEach((kind, count) -> sheet.put(ANSWERS, count, kind.command(), Integer.toString(kind.code())));
        sheet.put(GC_RUNS, totals.gc().runs());
        sheet.put(GC_COLLECTED, totals.gc().collected());
        var reconciles = meters.reconciles();
        sheet.put(RECONCILES, reconciles.runs());
        reconciles.findings().forEach((kind, count) -> sheet.put(FINDINGS, count, Words.lower(kind)));
        sheet.put(
                PROBLEMS, reconciles.last().map(last -> last.problems().size()).orElse(0));
    }

    private static void calls(Sheet sheet, String command, CallCount count, CallTiming timing) {
        sheet.put(DURATION, timing.worked(), Sheet.Unit.SECONDS, command, "ok");
        sheet.put(DURATION, timing.failed(), Sheet.Unit.SECONDS, command, "error");
        count.failures().forEach((code, failures) -> sheet.put(FAILURES, failures, command, code));
        sheet.put(IN_FLIGHT, count.inFlight(), command);
    }
}
