package io.enipam.shell.bundle;

import io.enipam.shell.core.Palette;

/** Writes elements of a document that is HTML and well-formed XML alike. Data can never become markup. */
final class HtmlWriter {
    private final StringBuilder out = new StringBuilder(1 << 16);

    /** Markup that we wrote ourselves. */
    HtmlWriter markup(String markup) {
        out.append(markup);
        return this;
    }

    HtmlWriter text(String text) {
        out.append(escaped(text));
        return this;
    }

    HtmlWriter element(String name, String text) {
        return markup("<" + name + ">").text(text).markup("</" + name + ">");
    }

    HtmlWriter element(String name, String look, String text) {
        return markup("<" + name + " class=\"" + look + "\">").text(text).markup("</" + name + ">");
    }

    HtmlWriter row(String... texts) {
        return cells("td", texts);
    }

    HtmlWriter head(String... texts) {
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

    @Override
    public String toString() {
        return out.toString();
    }
}
