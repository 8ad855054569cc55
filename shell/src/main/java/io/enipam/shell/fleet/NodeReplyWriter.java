package io.enipam.shell.fleet;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.SessionOutput;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Writes the answers of the nodes, and counts them. Documents are written as they come, and forgotten; tables at the end, when it
 * is known how wide they are. For one thread.
 */
public abstract class NodeReplyWriter {
    private static final int NAMED = 10;
    private static final String ERASE = "\r\u001b[K";
    private static final long REDRAWN_NANOS = 100_000_000;

    /** What an exit status says, from the least to the worst. */
    private static final List<ExitStatus> WORSE = List.of(
            ExitStatus.DONE,
            ExitStatus.REFUSED,
            ExitStatus.UNEXPECTED,
            ExitStatus.USAGE,
            ExitStatus.NOT_ATTACHED,
            ExitStatus.INTERRUPTED);

    final SessionOutput screen;
    private final int nodes;
    private final TreeSet<String> failed = new TreeSet<>(io.enipam.shell.core.NaturalOrder.ORDER);
    private int had;
    private ExitStatus worst = ExitStatus.DONE;
    private long drawn;

    NodeReplyWriter(SessionOutput screen, int nodes) {
        this.screen = screen;
        this.nodes = nodes;
    }

    /**
     * Those for a format.
     *
     * @param nodes how many there will be
     * @param columns how many cells of the terminal a line may take; 0 for any number
     */
    public static NodeReplyWriter in(OutputFormat format, SessionOutput screen, int nodes, int columns) {
        return switch (format) {
            case JSON, YAML -> new DocumentReplyWriter(screen, nodes, format == OutputFormat.YAML);
            case TABLE, WIDE -> new TableReplyWriter(screen, nodes, format == OutputFormat.WIDE ? 0 : columns);
            case NAME -> new NameReplyWriter(screen, nodes);
        };
    }

    final void add(NodeReply answer) {
        had++;
        if (!answer.done()) {
            failed.add(answer.node());
            ExitStatus its = ExitStatus.of(answer.status());
            worst = WORSE.indexOf(its) > WORSE.indexOf(worst) ? its : worst;
        }
        erase();
        write(answer);
        progress();
    }

    /** Writes one, or keeps it. */
    abstract void write(NodeReply answer);

    /** Writes what was kept. */
    abstract void finish();

    private void erase() {
        if (screen.errIsTerminal()) {
            screen.err().print(ERASE);
            screen.err().flush();
        }
    }

    private void progress() {
        if (screen.errIsTerminal() && System.nanoTime() - drawn > REDRAWN_NANOS) {
            drawn = System.nanoTime();
            screen.err()
                    .print(ERASE + had + "/" + nodes + " nodes"
                            + (failed.isEmpty() ? "" : ", " + failed.size() + " failed"));
            screen.err().flush();
        }
    }

    /**
     * Says how it went.
     *
     * @param interrupted whether some were not asked any more
     * @return the exit status
     */
    final int end(boolean interrupted) {
        erase();
        finish();
        screen.out().flush();
        PrintStream err = screen.err();
        String summary = (had - failed.size()) + " of " + nodes + (nodes == 1 ? " node" : " nodes") + " done"
                + (failed.isEmpty() ? "" : ", " + failed.size() + " failed: " + named())
                + (interrupted ? "; interrupted, " + (nodes - had) + " did not answer before" : "");
        err.println("enipam: " + io.enipam.shell.core.Palette.clean(summary));
        err.flush();
        return interrupted ? ExitStatus.INTERRUPTED.status() : worst.status();
    }

    private String named() {
        List<String> first = new ArrayList<>(failed).subList(0, Math.min(NAMED, failed.size()));
        int more = failed.size() - first.size();
        return String.join(", ", first) + (more == 0 ? "" : " and " + more + " more");
    }
}
