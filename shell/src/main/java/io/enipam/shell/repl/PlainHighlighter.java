package io.enipam.shell.repl;

import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;

/** No colours, for a terminal that has none or somebody who wants none. */
final class PlainHighlighter implements Highlighter {
    @Override
    public AttributedString highlight(LineReader reader, String line) {
        return new AttributedString(line);
    }
}
