package io.enipam.shell.chart;

import io.enipam.shell.core.Digest;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.ShippedText;
import io.enipam.v1.LeaseRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.function.BiConsumer;

/** Writes elements of a document that is HTML and well-formed XML alike. Data can never become markup. */
public final class HtmlWriter {
    private static final String STYLE = ShippedText.of(HtmlWriter.class, "page.css");

    private static final Duration HOUR = Duration.ofHours(1);

    private final StringBuilder out = new StringBuilder(1 << 16);

    private HtmlWriter() {}

    /** A page of one file: its policy lets in its own style alone. {@link #page()} ends it. */
    public static HtmlWriter page(String title) {
        String hash = Base64.getEncoder().encodeToString(Digest.sha256(STYLE.getBytes(StandardCharsets.UTF_8)));
        return new HtmlWriter()
                .markup(
                        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"
                                + hash + "'; base-uri 'none'; form-action 'none'\"/>\n"
                                + "<meta name=\"viewport\" content=\"width=device-width\"/>\n")
                .element("title", title)
                .markup("\n<style>" + STYLE + "</style>\n</head>\n<body>\n")
                .element("h1", title);
    }

    /**
     * A picture of its own, which has the same style.
     *
     * @param svg writes the picture, and its second argument behind the beginning of its root element
     */
    static String picture(BiConsumer<HtmlWriter, String> svg) {
        HtmlWriter html = new HtmlWriter();
        svg.accept(html, "<style>" + STYLE + "</style>");
        return html.out.toString();
    }

    /** The whole page. */
    public String page() {
        return out + "</body>\n</html>\n";
    }

    /** Each chart of the samples. */
    public HtmlWriter charts(SampleSeries series) {
        markup("<div class=\"charts\">\n");
        Chart.ALL.forEach(chart -> new SvgChart(chart, series).draw(this));
        return markup("</div>\n");
    }

    /** Who had which address in the last hour, a chart an ENI. */
    public HtmlWriter leases(List<LeaseRecord> leases, Instant now) {
        markup("<div class=\"charts\">\n");
        LeaseTimeline.of(leases, now, HOUR).forEach(chart -> chart.draw(this));
        return markup("</div>\n");
    }

    /** Markup that we wrote ourselves. */
    public HtmlWriter markup(String markup) {
        out.append(markup);
        return this;
    }

    public HtmlWriter text(String text) {
        out.append(escaped(text));
        return this;
    }

    public HtmlWriter element(String name, String text) {
        return markup("<" + name + ">").text(text).markup("</" + name + ">");
    }

    public HtmlWriter element(String name, String look, String text) {
        return markup("<" + name + " class=\"" + look + "\">").text(text).markup("</" + name + ">");
    }

    public HtmlWriter row(String... texts) {
        return cells("td", texts);
    }

    public HtmlWriter head(String... texts) {
        return cells("th", texts);
    }

    private HtmlWriter cells(String cell, String... texts) {
        markup("<tr>");
        for (String text : texts) {
            element(cell, text);
        }
        return markup("</tr>\n");
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                case '\n' -> escaped.append('\n');
                case '\t' -> escaped.append("  ");
                // neither a control character nor what XML has no place for
                default -> escaped.appendCodePoint(Palette.harmful(c) || c == 0xFFFE || c == 0xFFFF ? 0xFFFD : c);
            }
        });
        return escaped.toString();
    }
}
