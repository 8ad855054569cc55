package io.enipam.shell.pipe;

import java.util.StringTokenizer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How much there is. */
@Command(
        name = "wc",
        customSynopsis = "wc [-l]",
        description = "How many lines, words and characters there are.",
        footer = "  pool inuse -o name | wc -l")
public final class WordCount implements Filter {
    @Option(
            names = {"-l", "--lines"},
            description = "Only the lines.")
    boolean linesOnly;

    WordCount() {}

    @Override
    public FilterStage open(LineSink next) {
        return new FilterStage(next) {
            private long lines;
            private long words;
            private long characters;

            @Override
            public boolean line(String line) {
                lines++;
                words += new StringTokenizer(line).countTokens();
                characters += line.codePointCount(0, line.length()) + 1;
                return true;
            }

            @Override
            public void end() {
                pass(linesOnly ? Long.toString(lines) : lines + " " + words + " " + characters);
                super.end();
            }
        };
    }
}
