package io.enipam.shell.bundle;

import com.google.protobuf.util.Timestamps;
import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.chart.HtmlWriter;
import io.enipam.shell.chart.SampleSeries;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.eni.EniMap;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;

/** The report: one document, which a browser opens from the disk; its policy lets in only its own style. */
record BundleReport(String node, Instant made, ReportData data, List<CollectedPart> parts, HtmlWriter html) {
    private static final int LONGEST_TEXT = 256 << 10;

    /** The document. The texts of the parts go into it, as far as they fit. */
    static String of(String node, Instant made, ReportData data, List<CollectedPart> parts) {
        return new BundleReport(node, made, data, parts, HtmlWriter.page("enipam on " + node)).document();
    }

    private String document() {
        html.element("p", "dim", "made " + made + ", " + parts.size() + " parts");
        html.markup(
                "<nav><a href=\"#summary\">Summary</a><a href=\"#findings\">Findings</a><a href=\"#time\">Last hour</a>"
                        + "<a href=\"#cloud\">Cloud</a><a href=\"#enis\">ENIs</a><a href=\"#leases\">Leases</a><a href=\"#failures\">Failures</a>"
                        + "<a href=\"#parts\">Parts</a></nav>\n");
        summary();
        findings();
        charts();
        cloud();
        enis();
        leases();
        failures();
        all();
        return html.page();
    }

    private void section(String id, String title) {
        html.markup("<h2 id=\"" + id + "\">").text(title).markup("</h2>\n");
    }

    private void summary() {
        section("summary", "Summary");
        GetStatusReply status = data.status();
        if (status.getPhase().isEmpty()) {
            html.element("p", "bad", "the daemon did not answer: what follows is what the machine tells without it");
            return;
        }
        PoolCounts counts = status.getPool().getCounts();
        html.markup("<table>\n");
        Pool pool = status.getPool();
        String up = TimeFormat.span(TimeFormat.duration(status.getUptime()));
        String daemon = "enipamd " + status.getVersion() + ", " + status.getPhase() + ", up " + up;
        html.row("daemon", daemon + ", pid " + status.getPid());
        html.row("cloud", status.getCloud() + ", " + status.getEnis() + " ENIs");
        String free =
                counts.getInUse() + " in use, " + counts.getIdle() + " idle, " + counts.getCooling() + " cooling, ";
        String held = counts.getReserved() + " reserved, " + counts.getCreating() + " being created, ";
        String gone = counts.getDisposing() + " being disposed of, " + counts.getInvalid() + " invalid, ";
        html.row("pool", free + held + gone + "of " + pool.getCapacity() + "; " + pool.getWaiting() + " waiting");
        html.row("watermarks", pool.getMinIdle() + " to " + pool.getMaxIdle() + " idle");
        html.row("ADD", calls(data.meters().getAdd()));
        html.row("DEL", calls(data.meters().getDel()));
        html.row("commits", calls(data.meters().getCommits()));
        html.markup("</table>\n");
        status.getTroublesList()
                .forEach(trouble -> html.element(
                        "p",
                        "bad",
                        trouble.getSeverity() + ": " + trouble.getText() + ", since "
                                + Timestamps.toString(trouble.getSince())));
    }

    private static String calls(CallMeter calls) {
        String times =
                ", half within " + TimeFormat.took(calls.getP50()) + ", 99 % within " + TimeFormat.took(calls.getP99());
        return calls.getDone() + " since the start, " + calls.getFailed() + " failed" + (calls.hasP50() ? times : "");
    }

    /** What doctor and the commands that compare sources had to say, as they said it. */
    private void findings() {
        section("findings", "Findings");
        List<CollectedPart> found = parts.stream()
                .filter(part -> part.part().file().endsWith(".txt"))
                .filter(part -> part.part().what().matches("(?s)(doctor|db verify|explain).*"))
                .toList();
        if (found.isEmpty()) {
            html.element("p", "dim", "no command that looks for trouble was run");
        }
        for (CollectedPart part : found) {
            html.element("h3", part.part().what());
            texts(part, true);
        }
    }

    private void charts() {
        section("time", "The last hour");
        if (data.samples().isEmpty()) {
            html.element("p", "dim", "there are no samples");
            return;
        }
        html.charts(SampleSeries.of(data.samples()));
    }

    private void cloud() {
        section("cloud", "Calls of the cloud");
        html.markup("<table>\n").head("API", "this minute", "allowed", "limit", "calls", "throttled", "p50", "p99");
        for (CloudApiBudget api : data.apis()) {
            int used = api.getUsed();
            String range = "min=\"0\" max=\"" + Math.max(1, api.getAllowed()) + "\" value=\"" + used + "\"";
            html.markup("<tr>")
                    .element("td", api.getApi())
                    .markup("<td><meter " + range + ">" + used + "</meter> " + used + "</td>")
                    .element("td", Integer.toString(api.getAllowed()))
                    .element("td", Integer.toString(api.getLimit()))
                    .element("td", Long.toString(api.getCalls()))
                    .element("td", Long.toString(api.getThrottles()))
                    .element("td", api.getCalls() == 0 ? "-" : TimeFormat.took(api.getP50()))
                    .element("td", api.getCalls() == 0 ? "-" : TimeFormat.took(api.getP99()))
                    .markup("</tr>\n");
        }
        html.markup("</table>\n");
    }

    private void enis() {
        section("enis", "ENIs");
        html.markup("<table>\n").head("id", "state", "vSwitch", "primary", "addresses", "limit", "queued");
        for (Eni eni : data.enis()) {
            html.row(
                    eni.getId(),
                    eni.getState(),
                    eni.getVswitch(),
                    eni.getPrimaryIp(),
                    Integer.toString(eni.getAddressesCount()),
                    Integer.toString(eni.getAddressLimit()),
                    Integer.toString(eni.getQueued()));
        }
        html.markup("</table>\n");
        if (!data.enis().isEmpty()) {
            RenderContext plain = new RenderContext(Palette.PLAIN, made, ZoneOffset.UTC, false);
            html.element("pre", String.join("\n", EniMap.lines(data.enis(), plain, EniMap.PLAIN_WIDTH)));
        }
    }

    private void leases() {
        section("leases", "Leases of the last hour");
        html.element("p", "dim", "blue: it stands; grey: ended by a DEL; red: ended by anything else");
        html.leases(data.leases(), made);
    }

    private void failures() {
        section("failures", "Failures");
        GetMetersReply meters = data.meters();
        for (CallMeter calls : List.of(meters.getAdd(), meters.getDel(), meters.getCommits())) {
            String codes = calls.getFailuresList().stream()
                    .map(code -> code.getCode() + " " + code.getCount())
                    .collect(Collectors.joining(", "));
            if (!codes.isEmpty()) {
                html.element("p", "bad", codes);
            }
        }
        html.markup("<table>\n").head("when", "what", "about", "message");
        for (Event event : data.events()) {
            if (!event.getSeverity().equals("INFO")) {
                String at = TimeFormat.instant(event.getAt()).toString();
                html.row(at, event.getType(), event.getSubject(), event.getMessage());
            }
        }
        for (CloudCall call : data.failedCalls()) {
            String at = TimeFormat.instant(call.getAt()).toString();
            String took = call.getAttempts() + " tries, " + TimeFormat.took(call.getTook());
            String request = "request " + call.getRequestId() + ", " + took;
            html.row(at, call.getApi() + " " + call.getCode(), call.getTarget(), request);
        }
        html.markup("</table>\n");
    }

    private void all() {
        section("parts", "All parts");
        for (CollectedPart part : parts) {
            String look = switch (part.outcome()) {
                case OK -> "good";
                case ABSENT -> "dim";
                default -> "bad";
            };
            html.markup("<details><summary>")
                    .text(part.part().what() + " ")
                    .element("span", look, part.outcomeText())
                    .text("  " + part.file() + "  " + part.took().toMillis() + " ms")
                    .markup("</summary>\n");
            texts(part, part.present() && part.part().file().endsWith(".txt"));
            html.markup("</details>\n");
        }
    }

    /** Why a part is not as it should be, and its text, if that is wanted, as far as it fits. */
    private void texts(CollectedPart part, boolean all) {
        if (!part.why().isEmpty()) {
            html.element("p", "warn", part.why());
        }
        if (all) {
            String text = part.text();
            String rest = "\n... the file in the archive has the rest";
            html.element("pre", text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + rest);
        }
    }

    /** What the report draws; what the daemon did not answer is empty. Only calls begin with the latest. */
    record ReportData(
            GetStatusReply status,
            GetMetersReply meters,
            List<HistorySample> samples,
            List<CloudApiBudget> apis,
            List<CloudCall> failedCalls,
            List<Eni> enis,
            List<LeaseRecord> leases,
            List<Event> events) {}
}
