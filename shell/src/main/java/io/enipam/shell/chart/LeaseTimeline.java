package io.enipam.shell.chart;

import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.LeaseRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Who had which address of one ENI, as SVG: a row an address, a bar a lease, which says pod, times and end where the pointer rests on it.
 *
 * @param span that ends at {@code now}; what was before is cut off
 */
record LeaseTimeline(String eni, List<LeaseRecord> leases, Instant now, Duration span) {
    private static final int WIDTH = 720;
    private static final int LEFT = 110;
    private static final int RIGHT = 12;
    private static final int ROW = 16;
    private static final int BAR = 10;
    private static final int BOTTOM = 20;

    LeaseTimeline {
        leases = List.copyOf(leases);
    }

    /** One of each ENI that has a lease in the span, in the order of their ids. */
    static List<LeaseTimeline> of(List<LeaseRecord> leases, Instant now, Duration span) {
        Map<String, List<LeaseRecord>> byEni = leases.stream()
                .filter(lease -> !end(lease, now).isBefore(now.minus(span)))
                .collect(Collectors.groupingBy(
                        lease -> lease.getEni().isEmpty() ? lease.getResource() : lease.getEni(),
                        TreeMap::new,
                        Collectors.toList()));
        return byEni.entrySet().stream()
                .map(eni -> new LeaseTimeline(eni.getKey(), eni.getValue(), now, span))
                .toList();
    }

    private static Instant end(LeaseRecord lease, Instant now) {
        return lease.hasEnd() ? TimeFormat.instant(lease.getEnd().getAt()) : now;
    }

    void draw(HtmlWriter html) {
        Map<String, List<LeaseRecord>> rows = leases.stream()
                .collect(Collectors.groupingBy(
                        lease -> String.join(", ", lease.getAddressesList()), TreeMap::new, Collectors.toList()));
        int height = rows.size() * ROW + BOTTOM;
        html.markup("<figure><figcaption>")
                .text("Leases on " + eni)
                .markup("</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + WIDTH
                        + " " + height + "\">\n");
        int top = 0;
        for (Map.Entry<String, List<LeaseRecord>> row : rows.entrySet()) {
            html.markup("<text x=\"" + (LEFT - 6) + "\" y=\"" + (top + BAR) + "\" text-anchor=\"end\">")
                    .text(row.getKey())
                    .markup("</text>\n");
            for (LeaseRecord lease : row.getValue()) {
                bar(html, lease, top);
            }
            top += ROW;
        }
        html.markup("<text x=\"" + LEFT + "\" y=\"" + (height - 4) + "\">")
                .text(TimeFormat.span(span) + " ago")
                .markup("</text><text x=\"" + (WIDTH - RIGHT) + "\" y=\"" + (height - 4)
                        + "\" text-anchor=\"end\">now</text></svg></figure>\n");
    }

    private void bar(HtmlWriter html, LeaseRecord lease, int top) {
        Instant since = TimeFormat.instant(lease.getSince());
        double begin = x(since);
        // a lease of a moment is seen as well
        double width = Math.max(1, x(end(lease, now)) - begin);
        String how = lease.hasEnd()
                ? "ended " + end(lease, now) + " by " + lease.getEnd().getReason()
                : "stands";
        html.markup("<rect class=\"" + look(lease) + "\" x=\"" + Chart.number(begin) + "\" y=\"" + top + "\" width=\""
                        + Chart.number(width) + "\" height=\"" + BAR + "\"><title>")
                .text(lease.getPod() + ", since " + since + ", " + how)
                .markup("</title></rect>\n");
    }

    private double x(Instant at) {
        double ago = Math.max(0, Duration.between(at, now).toMillis());
        return LEFT + (WIDTH - LEFT - RIGHT) * (1 - Math.min(1, ago / span.toMillis()));
    }

    private static String look(LeaseRecord lease) {
        return !lease.hasEnd() ? "stands" : lease.getEnd().getReason().equals("DEL") ? "ended" : "taken";
    }
}
