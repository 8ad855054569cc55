package io.enipam.shell.fleet;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonStreamParser;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.SessionOutput;
import io.enipam.shell.core.TableBuffer;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TableListing.NaturalOrder;
import io.enipam.shell.core.YamlFormat;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Writes and counts the answers of the nodes: documents as they come, tables at the end, when their widths are known.
 * For one thread.
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
    private final TreeSet<String> failed = new TreeSet<>(TableListing.NaturalOrder.ORDER);
    private int had;
    private ExitStatus worst = ExitStatus.DONE;
    private long drawn;

    NodeReplyWriter(SessionOutput screen, int nodes) {
        this.screen = screen;
        this.nodes = nodes;
    }

    /** A writer for a format, of so many nodes and at most so many columns (0: any number). */
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
    void finish() {}

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

    /** Prints the summary; the exit status. */
    final int end(boolean interrupted) {
        erase();
        finish();
        screen.out().flush();
        PrintStream err = screen.err();
        String summary = (had - failed.size()) + " of " + nodes + (nodes == 1 ? " node" : " nodes") + " done"
                + (failed.isEmpty() ? "" : ", " + failed.size() + " failed: " + named())
                + (interrupted ? "; interrupted, " + (nodes - had) + " did not answer before" : "");
        err.println("enipam: " + Palette.clean(summary));
        err.flush();
        return interrupted ? ExitStatus.INTERRUPTED.status() : worst.status();
    }

    private String named() {
        List<String> first = new ArrayList<>(failed).subList(0, Math.min(NAMED, failed.size()));
        int more = failed.size() - first.size();
        return String.join(", ", first) + (more == 0 ? "" : " and " + more + " more");
    }

    /**
     * What one node answered: rows of tables, other output, and the command that failed with the reason; its name is
     * empty if nothing was tried yet.
     */
    record NodeReply(
            String node,
            int status,
            TableBuffer sheet,
            String out,
            String err,
            String what,
            Optional<ShellException> trouble) {
        /** A node that could not be asked. */
        static NodeReply none(String node, ShellException why) {
            return new NodeReply(node, why.exit().status(), new TableBuffer(), "", "", "", Optional.of(why));
        }

        boolean done() {
            return status == ExitStatus.DONE.status();
        }
    }

    /**
     * {@code {"node":…,"reply":…}} for each document of a node, {@code {"node":…,"error":…}} for a failure: lines of
     * JSON, or documents of YAML.
     */
    private static final class DocumentReplyWriter extends NodeReplyWriter {
        private final boolean yaml;

        DocumentReplyWriter(SessionOutput screen, int nodes, boolean yaml) {
            super(screen, nodes);
            this.yaml = yaml;
        }

        @Override
        void write(NodeReply answer) {
            for (JsonElement reply : replies(answer.out())) {
                print(answer.node(), "reply", reply);
            }
            answer.trouble()
                    .ifPresent(e -> print(
                            answer.node(), "error", JsonParser.parseString(ErrorLine.forProgram(answer.what(), e))));
            if (!answer.done() && answer.trouble().isEmpty()) {
                ShellException unsaid = new ShellException(
                        ExitStatus.of(answer.status()), "", "it ended with status " + answer.status(), "");
                print(answer.node(), "error", JsonParser.parseString(ErrorLine.forProgram(answer.what(), unsaid)));
            }
            screen.out().flush();
        }

        /** All documents in what was printed; a command that prints none had its text printed, which is one. */
        private static List<JsonElement> replies(String out) {
            List<JsonElement> documents = new ArrayList<>();
            try {
                JsonStreamParser parser = new JsonStreamParser(out);
                while (parser.hasNext()) {
                    documents.add(parser.next());
                }
                return documents;
            } catch (JsonParseException text) {
                JsonObject printed = new JsonObject();
                printed.addProperty("text", out);
                return List.of(printed);
            }
        }

        private void print(String node, String what, JsonElement value) {
            JsonObject line = new JsonObject();
            line.addProperty("node", node);
            line.add(what, value);
            if (yaml) {
                screen.out().println("---");
                screen.out().println(YamlFormat.document(line));
            } else {
                screen.out().println(JsonOutput.harmless(line.toString()));
            }
        }
    }

    /** One table over all nodes, in the order of their names, and below it a line for each that failed. */
    private static final class TableReplyWriter extends NodeReplyWriter {
        private final List<NodeReply> kept = new ArrayList<>();
        private final int columns;

        TableReplyWriter(SessionOutput screen, int nodes, int columns) {
            super(screen, nodes);
            this.columns = columns;
        }

        @Override
        void write(NodeReply answer) {
            kept.add(answer);
        }

        @Override
        void finish() {
            kept.sort(Comparator.comparing(NodeReply::node, NaturalOrder.ORDER));
            new FleetTable(kept).lines(screen.outPalette(), columns).forEach(screen.out()::println);
            screen.out().flush();
            kept.forEach(answer -> complain(screen, answer));
        }

        /** What a node said on stderr, and what failed there. */
        static void complain(SessionOutput screen, NodeReply answer) {
            String node = Palette.clean(answer.node());
            answer.err().lines().forEach(line -> screen.err().println(node + ": " + line));
            answer.trouble()
                    .ifPresent(e -> screen.err()
                            .println(ErrorLine.forPerson(
                                    screen.errPalette(),
                                    answer.what().isEmpty() ? node : node + ": " + answer.what(),
                                    e)));
        }
    }

    /** The node and an identifier a line, as they come. */
    private static final class NameReplyWriter extends NodeReplyWriter {
        NameReplyWriter(SessionOutput screen, int nodes) {
            super(screen, nodes);
        }

        @Override
        void write(NodeReply answer) {
            String node = Palette.clean(answer.node());
            answer.out().lines().forEach(line -> screen.out().println(node + " " + line));
            screen.out().flush();
            TableReplyWriter.complain(screen, answer);
        }
    }
}
