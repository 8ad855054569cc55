package io.enipam.observability.metrics;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiQuotaStatus;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The cloud's APIs, each retry on its own. The names of APIs are those that this daemon calls; of error codes the call book keeps
 * few.
 *
 * @param usable whether the cloud can be used now, or nobody needs it
 */
record CloudPart(ApiCallLog book, BooleanSupplier usable) implements Part {
    private static final Metric USABLE =
            Metric.gauge("enipam_cloud_usable", "1 while the cloud can be used or no address comes from it, else 0.");
    private static final Metric CALLS =
            Metric.counter("enipam_cloud_calls_total", "Calls over the wire, each retry on its own.", "api", "outcome");
    private static final Metric ERRORS = Metric.counter(
            "enipam_cloud_errors_total",
            "Calls that failed, by the cloud's error code; rare ones as 'other'.",
            "api",
            "code");
    private static final Metric DURATION = Metric.histogram(
            "enipam_cloud_call_duration_seconds", "How long calls took over the wire.", "api", "outcome");
    private static final Metric WAITED = Metric.histogram(
            "enipam_cloud_limit_wait_seconds", "How long calls waited for this node's own limit.", "api");
    private static final Metric LIMIT =
            Metric.gauge("enipam_cloud_budget_limit", "Calls a minute of the clock as configured.", "api");
    private static final Metric ALLOWED = Metric.gauge(
            "enipam_cloud_budget_allowed", "Calls a minute allowed now: fewer for a while after throttling.", "api");
    private static final Metric LEFT = Metric.gauge(
            "enipam_cloud_budget_left", "Calls that may still be made in this minute of the clock.", "api");
    private static final Metric INHIBITED =
            Metric.gauge("enipam_cloud_inhibited", "1 while an API is left alone after throttling, else 0.", "api");

    @Override
    public String name() {
        return "cloud";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(USABLE, CALLS, ERRORS, DURATION, WAITED, LIMIT, ALLOWED, LEFT, INHIBITED);
    }

    @Override
    public void collect(Sheet sheet, Moment moment) {
        sheet.put(USABLE, usable.getAsBoolean());
        for (ApiQuotaStatus budget : book.quotaStatus()) {
            String api = budget.api();
            long failed =
                    budget.errors().values().stream().mapToLong(Long::longValue).sum();
            sheet.put(CALLS, budget.calls() - failed, api, "ok");
            sheet.put(CALLS, failed - budget.throttles(), api, "error");
            sheet.put(CALLS, budget.throttles(), api, "throttled");
            budget.errors().forEach((code, count) -> sheet.put(ERRORS, count, api, code));
            sheet.put(LIMIT, budget.quota().limit(), api);
            sheet.put(ALLOWED, budget.quota().allowed(), api);
            sheet.put(LEFT, budget.quota().left(), api);
            sheet.put(INHIBITED, budget.quota().inhibitedUntil().isPresent(), api);
            // what was never called has no buckets yet: most nodes call half of the APIs
            if (budget.worked().count() > 0) {
                sheet.put(DURATION, budget.worked(), Sheet.Unit.SECONDS, budget.api(), "ok");
            }
            if (budget.failed().count() > 0) {
                sheet.put(DURATION, budget.failed(), Sheet.Unit.SECONDS, budget.api(), "error");
            }
            if (budget.waited().count() > 0) {
                sheet.put(WAITED, budget.waited(), Sheet.Unit.SECONDS, budget.api());
            }
        }
    }
}
