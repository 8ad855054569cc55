package io.enipam.shell.pipe;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The first lines; a command that only looks is ended once they are there. */
@Command(
        name = "head",
        customSynopsis = "head [-n N | -N]",
        description = {
            "The first lines.",
            "A command that only looks is ended once they are there, as in 'events -f | head'; one that changes something is not."
        },
        footer = "  pool inuse | head -n 3")
public final class Head implements Filter {
    @Mixin
    LineCount count = new LineCount();

    Head() {}

    @Override
    public void prepare() {
        count.check("head");
    }

    @Override
    public FilterStage open(LineSink next) {
        return new FilterStage(next) {
            private int left = count.lines;

            @Override
            public boolean line(String line) {
                boolean more = left > 0 && pass(line);
                left--;
                return more && left > 0;
            }
        };
    }
}
