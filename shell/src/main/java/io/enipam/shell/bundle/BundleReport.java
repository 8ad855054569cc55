package io.enipam.shell.bundle;

import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** The report: one document, which a browser opens from the disk; its policy lets in only its own style. */
record BundleReport(String node, Instant made, ReportData data, List<CollectedPart> parts, HtmlWriter html) {
    private static final int LONGEST_TEXT = 256 << 10;
    private static final String STYLE = """
            :root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#667;--grid:#d8dde3;--card:#f6f8fa;--bad:#c0262d;--warn:#9a6700;--good:#1a7f37;--k0:#0969da;--k1:#1a7f37;--k2:#bf8700;--k3:#8250df;--k4:#c0262d}
            @media(prefers-color-scheme:dark){:root{--bg:#0f1318;--fg:#e2e8ee;--dim:#93a0ad;--grid:#2b333c;--card:#171d24;--bad:#ff7b72;--warn:#e3b341;--good:#56d364;--k0:#58a6ff;--k1:#56d364;--k2:#e3b341;--k3:#bc8cff;--k4:#ff7b72}}
            body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}
            h1{font-size:1.5rem;margin-bottom:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}nav a{margin-right:1rem;color:var(--k0)}
            table{border-collapse:collapse;font-size:.9rem}td,th{text-align:left;padding:.15rem .9rem .15rem 0;vertical-align:top}th{color:var(--dim);font-weight:600}
            pre{background:var(--card);padding:.8rem;overflow:auto;font-size:.8rem;max-height:40rem}summary{cursor:pointer;padding:.2rem 0}
            .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:1rem}figure{margin:0;background:var(--card);padding:.8rem;border-radius:6px}
            figcaption{font-weight:600}svg{width:100%;height:auto}svg text{fill:var(--dim);font-size:11px}.grid{stroke:var(--grid)}.line{fill:none;stroke-width:1.8}
            .legend,.dim{color:var(--dim);font-size:.85rem}.bad{color:var(--bad)}.warn{color:var(--warn)}.good{color:var(--good)}
            path.k0{stroke:var(--k0)}path.k1{stroke:var(--k1)}path.k2{stroke:var(--k2)}path.k3{stroke:var(--k3)}path.k4{stroke:var(--k4)}
            span.k0{color:var(--k0)}span.k1{color:var(--k1)}span.k2{color:var(--k2)}span.k3{color:var(--k3)}span.k4{color:var(--k4)}
            meter{width:12rem}
            """;

    /** The document. The texts of the parts go into it, as far as they fit. */
    static String of(String node, Instant made, ReportData data, List<CollectedPart> parts) {
        return new BundleReport(node, made, data, parts, new HtmlWriter()).document();
    }

    private String document() {
        String hash = Base64.getEncoder().encodeToString(Bundle.digest(STYLE.getBytes(StandardCharsets.UTF_8)));
        html.markup(
                        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"
                                + hash + "'; base-uri 'none'; form-action 'none'\"/>\n"
                                + "<meta name=\"viewport\" content=\"width=device-width\"/>\n")
                .element("title", "enipam on " + node)
                .markup("\n<style>" + STYLE + "</style>\n</head>\n<body>\n");
        html.element("h1", "enipam on " + node);
        html.element("p", "dim", "made " + made + ", " + parts.size() + " parts");
        html.markup(
                "<nav><a href=\"#summary\">Summary</a><a href=\"#findings\">Findings</a><a href=\"#time\">Last hour</a>"
                        + "<a href=\"#cloud\">Cloud</a><a href=\"#enis\">ENIs</a><a href=\"#failures\">Failures</a>"
                        + "<a href=\"#parts\">Parts</a></nav>\n");
        summary();
        findings();
        charts();
        cloud();
        enis();
        failures();
        all();
        return html.markup("</body>\n</html>\n").toString();
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
        status.getConditionsList().forEach(condition -> html.element("p", "bad", condition));
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
        html.markup("<div class=\"charts\">\n");
        SvgChart.of(data.samples()).forEach(chart -> chart.draw(html));
        html.markup("</div>\n");
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
            List<Event> events) {}
}
