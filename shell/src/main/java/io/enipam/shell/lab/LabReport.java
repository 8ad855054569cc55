package io.enipam.shell.lab;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.enipam.shell.chart.BarChart;
import io.enipam.shell.chart.BarChart.Group;
import io.enipam.shell.chart.HtmlWriter;
import io.enipam.shell.chart.ScatterChart;
import io.enipam.shell.chart.ScatterChart.Point;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Results of replays as a page, and as a picture of waiting against idle addresses.
 *
 * @param trace the file that was replayed, as it was typed
 * @param results all of them
 * @param present the policy that is the present setting; empty text if none is
 * @param sentences what else is to be said
 */
record LabReport(String trace, List<Struct> results, String present, List<String> sentences) {
    /** Of more than these, the bars of those that are worth having are enough. */
    private static final int MOST_GROUPS = 12;

    LabReport {
        results = List.copyOf(results);
        sentences = List.copyOf(sentences);
    }

    /** What waiting less costs: the mean wait to the right, the hours that addresses were idle upwards. */
    ScatterChart chart() {
        return new ScatterChart(
                "Waiting against idle addresses, " + trace,
                "ms of waiting a pod, on average",
                "idle address-hours",
                results.stream()
                        .map(result -> new Point(
                                LabResults.policy(result),
                                LabResults.number(result, "waitMeanMs"),
                                LabResults.number(result, "idleAddressHours"),
                                LabResults.policy(result).equals(present)))
                        .toList());
    }

    String page() {
        HtmlWriter html = HtmlWriter.page("Replays of " + trace);
        html.element("p", "dim", results.size() + " replays; waits and calls are those of the emulated cloud");
        sentences.forEach(sentence -> html.element("p", sentence));
        html.element("h2", "Pictures").markup("<div class=\"charts\">\n");
        ScatterChart chart = chart();
        chart.draw(html);
        Set<String> front = chart.front().stream().map(Point::name).collect(Collectors.toSet());
        List<Struct> few = results.stream()
                .filter(result -> results.size() <= MOST_GROUPS
                        || front.contains(LabResults.policy(result))
                        || LabResults.policy(result).equals(present))
                .toList();
        bars("How long pods waited", "ms", List.of("p50", "p99"), List.of("waitP50Ms", "waitP99Ms"), few)
                .draw(html);
        bars("Calls of the cloud", "in all", List.of("calls", "throttled"), List.of("apiCalls", "throttled"), few)
                .draw(html);
        html.markup("</div>\n").element("h2", "Figures");
        html.markup("<table>\n")
                .head(
                        "policy",
                        "waited",
                        "mean",
                        "p50",
                        "p99",
                        "most",
                        "pods",
                        "served",
                        "failed ADDs",
                        "calls",
                        "throttled",
                        "ENI changes",
                        "idle",
                        "held",
                        "most held");
        for (Struct result : results) {
            html.row(
                    LabResults.policy(result) + (LabResults.policy(result).equals(present) ? " (present)" : ""),
                    String.format(Locale.ROOT, "%.2f\u00a0%%", 100 * LabResults.number(result, "waitedShare")),
                    millis(result, "waitMeanMs"),
                    millis(result, "waitP50Ms"),
                    millis(result, "waitP99Ms"),
                    millis(result, "waitMostMs"),
                    whole(result, "pods"),
                    whole(result, "served"),
                    whole(result, "failures"),
                    whole(result, "apiCalls"),
                    whole(result, "throttled"),
                    whole(result, "eniChanges"),
                    hours(result, "idleAddressHours"),
                    hours(result, "heldAddressHours"),
                    whole(result, "mostAddresses"));
        }
        html.markup("</table>\n");
        calls(html);
        return html.page();
    }

    private void calls(HtmlWriter html) {
        html.element("h2", "Calls by API").markup("<table>\n").head("policy", "calls");
        for (Struct result : results) {
            Map<String, Value> calls =
                    result.getFieldsOrThrow("callsByApi").getStructValue().getFieldsMap();
            html.row(
                    LabResults.policy(result),
                    calls.keySet().stream()
                            .sorted()
                            .map(api -> api + " " + calls.get(api).getStringValue())
                            .collect(Collectors.joining(", ")));
        }
        html.markup("</table>\n");
    }

    private static BarChart bars(
            String title, String unit, List<String> kinds, List<String> fields, List<Struct> results) {
        return new BarChart(
                title,
                unit,
                kinds,
                results.stream()
                        .map(result -> new Group(
                                LabResults.policy(result),
                                fields.stream()
                                        .map(field -> LabResults.number(result, field))
                                        .toList()))
                        .toList());
    }

    private static String whole(Struct result, String field) {
        return Long.toString(LabResults.whole(result, field));
    }

    private static String millis(Struct result, String field) {
        return String.format(Locale.ROOT, "%.0f\u00a0ms", LabResults.number(result, field));
    }

    private static String hours(Struct result, String field) {
        return String.format(Locale.ROOT, "%.1f\u00a0h", LabResults.number(result, field));
    }
}
