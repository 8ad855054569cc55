package io.enipam.shell.pipe;

import java.util.ArrayDeque;
import java.util.Deque;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The last lines. */
@Command(
        name = "tail",
        customSynopsis = "tail [-n N | -N]",
        description = "The last lines.",
        footer = "  events | tail -n 3")
public final class Tail implements Filter {
    @Mixin
    LineCount count = new LineCount();

    Tail() {}

    @Override
    public void prepare() {
        count.check("tail");
    }

    @Override
    public FilterStage open(LineSink next) {
        return new FilterStage(next) {
            private final Deque<String> last = new ArrayDeque<>();

            @Override
            public boolean line(String line) {
                last.addLast(line);
                if (last.size() > count.lines) {
                    last.removeFirst();
                }
                return true;
            }

            @Override
            public void end() {
                for (String line : last) {
                    if (!pass(line)) {
                        break;
                    }
                }
                super.end();
            }
        };
    }
}
