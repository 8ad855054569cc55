package io.enipam.shell.fleet;

import static io.enipam.shell.attach.ExitStatus.DONE;
import static io.enipam.shell.attach.ExitStatus.INTERRUPTED;
import static io.enipam.shell.attach.ExitStatus.NOT_ATTACHED;
import static io.enipam.shell.attach.ExitStatus.REFUSED;
import static io.enipam.shell.attach.ExitStatus.UNEXPECTED;
import static io.enipam.shell.attach.ExitStatus.USAGE;

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
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.StreamingTable;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing.NaturalOrder;
import io.enipam.shell.core.TableListing.TableBuffer;
import io.enipam.shell.core.Tone;
import io.enipam.shell.core.YamlFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Writes and counts the answers of nodes: as they come, but tables at the end, as widths are known. For one thread. */
public final class NodeReplyWriter {
    private static final int NAMED = 10;
    private static final String ERASE = "\r\u001b[K";
    private static final long REDRAWN_NANOS = 100_000_000;

    /** What an exit status says, from the least to the worst. */
    private static final List<ExitStatus> WORSE = List.of(DONE, REFUSED, UNEXPECTED, USAGE, NOT_ATTACHED, INTERRUPTED);

    private final SessionOutput screen;
    private final OutputFormat format;
    private final int nodes;
    private final RenderContext look;
    private final List<NodeReply> kept = new ArrayList<>();
    private final TreeSet<String> failed = new TreeSet<>(NaturalOrder.ORDER);
    private int had;
    private ExitStatus worst = DONE;
    private long drawn;

    /** @param nowhere says where and in what format; {@code columns} is how wide a table may be, 0 for any width */
    public NodeReplyWriter(Session nowhere, int nodes, int columns) {
        this.screen = nowhere.screen();
        this.format = nowhere.format();
        this.nodes = nodes;
        this.look = nowhere.renderContext(format == OutputFormat.WIDE ? 0 : columns);
    }

    void add(NodeReply answer) {
        had++;
        if (!answer.done()) {
            failed.add(answer.node());
            ExitStatus its = ExitStatus.of(answer.status());
            worst = WORSE.indexOf(its) > WORSE.indexOf(worst) ? its : worst;
        }
        erase();
        switch (format) {
            case JSON, YAML -> documents(answer);
            case NAME -> names(answer);
            case TABLE, WIDE, VERTICAL, CSV -> kept.add(answer);
        }
        screen.out().flush();
        progress();
    }

    private void erase() {
        if (screen.errIsTerminal()) {
            screen.err().print(ERASE);
            screen.err().flush();
        }
    }

    private void progress() {
        if (screen.errIsTerminal() && System.nanoTime() - drawn > REDRAWN_NANOS) {
            drawn = System.nanoTime();
            String bad = failed.isEmpty() ? "" : ", " + failed.size() + " failed";
            screen.err().print(ERASE + had + "/" + nodes + " nodes" + bad);
            screen.err().flush();
        }
    }

    /** Prints tables and the summary; the exit status. */
    int end(boolean interrupted) {
        erase();
        kept.sort(Comparator.comparing(NodeReply::node, NaturalOrder.ORDER));
        new FleetTable(kept, format).lines(look).forEach(screen.out()::println);
        screen.out().flush();
        kept.forEach(this::complain);
        String summary = (had - failed.size()) + " of " + nodes + (nodes == 1 ? " node" : " nodes") + " done"
                + (failed.isEmpty() ? "" : ", " + failed.size() + " failed: " + named())
                + (interrupted ? "; interrupted, " + (nodes - had) + " did not answer before" : "");
        screen.err().println("enipam: " + Palette.clean(summary));
        screen.err().flush();
        return interrupted ? INTERRUPTED.status() : worst.status();
    }

    private String named() {
        String first = failed.stream().limit(NAMED).collect(Collectors.joining(", "));
        return failed.size() <= NAMED ? first : first + " and " + (failed.size() - NAMED) + " more";
    }

    private void names(NodeReply answer) {
        String node = Palette.clean(answer.node());
        answer.out().lines().forEach(line -> screen.out().println(node + " " + line));
        screen.out().flush();
        complain(answer);
    }

    /** What a node said on stderr, and what failed there. */
    private void complain(NodeReply answer) {
        String node = Palette.clean(answer.node());
        answer.err().lines().forEach(line -> screen.err().println(node + ": " + line));
        String what = answer.what().isEmpty() ? node : node + ": " + answer.what();
        answer.trouble().ifPresent(e -> screen.err().println(ErrorLine.forPerson(screen.errPalette(), what, e)));
    }

    /**
     * {@code {"node":…,"reply":…}} for each document of a node, {@code {"node":…,"error":…}} for a failure: lines of
     * JSON, or documents of YAML.
     */
    private void documents(NodeReply answer) {
        replies(answer.out()).forEach(reply -> print(answer.node(), "reply", reply));
        if (!answer.done() || answer.trouble().isPresent()) {
            ShellException why = answer.trouble()
                    .orElseGet(() -> new ShellException(
                            ExitStatus.of(answer.status()), "", "it ended with status " + answer.status(), ""));
            print(answer.node(), "error", JsonParser.parseString(ErrorLine.forProgram(answer.what(), why)));
        }
    }

    /** All documents in what was printed; a command that prints none had its text printed, which is one. */
    private static List<JsonElement> replies(String out) {
        List<JsonElement> documents = new ArrayList<>();
        try {
            new JsonStreamParser(out).forEachRemaining(documents::add);
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
        if (format == OutputFormat.YAML) {
            screen.out().println("---");
            screen.out().println(YamlFormat.document(line));
        } else {
            screen.out().println(JsonOutput.harmless(line.toString()));
        }
    }

    /** What one node answered: rows of tables, other output, the command that failed (empty: none tried) and why. */
    record NodeReply(
            String node,
            int status,
            List<TableBuffer.Block> tables,
            String out,
            String err,
            String what,
            Optional<ShellException> trouble) {
        static NodeReply none(String node, ShellException why) {
            return new NodeReply(node, why.exit().status(), List.of(), "", "", "", Optional.of(why));
        }

        boolean done() {
            return status == DONE.status();
        }
    }

    /** The answers to one line in the order of the replies: tables with the node in front, other text last. */
    private record FleetTable(List<NodeReply> replies, OutputFormat format) {
        private static String node(NodeReply reply) {
            return Palette.clean(reply.node());
        }

        List<String> lines(RenderContext look) {
            List<String> lines = new ArrayList<>();
            int most = replies.stream()
                    .mapToInt(reply -> reply.tables().size())
                    .max()
                    .orElse(0);
            for (int i = 0; i < most; i++) {
                append(lines, table(i, look));
            }
            append(lines, text(look.palette()));
            return lines;
        }

        private static void append(List<String> lines, List<String> part) {
            if (!lines.isEmpty() && !part.isEmpty()) {
                lines.add("");
            }
            lines.addAll(part);
        }

        private List<String> table(int at, RenderContext look) {
            List<NodeReply> having =
                    replies.stream().filter(reply -> reply.tables().size() > at).toList();
            TableBuffer.Block first = having.get(0).tables().get(at);
            if (format != OutputFormat.CSV
                    && having.stream()
                            .allMatch(reply -> reply.tables().get(at).rows().isEmpty())) {
                String none = having.size() == 1 ? "" : ", on none of " + having.size() + " nodes";
                return List.of(Palette.clean(first.none()) + none);
            }
            List<Table.Heading> headings = new ArrayList<>(first.headings());
            headings.add(0, new Table.Heading("node", "NODE", false));
            Table table = Table.headed(headings, format);
            List<List<String>> under = new ArrayList<>(List.of(List.of()));
            for (NodeReply reply : having) {
                for (TableBuffer.Row row : reply.tables().get(at).rows()) {
                    List<Object> cells = new ArrayList<>(row.cells());
                    cells.add(0, node(reply));
                    table.row(cells.toArray());
                    under.add(row.under());
                }
            }
            List<String> lines = new ArrayList<>();
            List<List<String>> drawn = table.take(look);
            for (int i = 0; i < drawn.size(); i++) {
                lines.addAll(drawn.get(i));
                if (format.text()) {
                    lines.addAll(StreamingTable.below(under.get(i), look.columns()));
                }
            }
            table.hidden().ifPresent(note -> lines.add(look.paint(Tone.LABEL, note)));
            return lines;
        }

        /** Lines as they came, each behind its node. */
        private List<String> text(Palette palette) {
            int most = replies.stream()
                    .filter(reply -> !reply.out().isEmpty())
                    .mapToInt(reply -> Table.width(node(reply)))
                    .max()
                    .orElse(0);
            List<String> lines = new ArrayList<>();
            for (NodeReply reply : replies) {
                String node = palette.paint(Tone.LABEL, node(reply));
                int width = most - Table.width(node(reply));
                reply.out().lines().forEach(line -> lines.add(node + " ".repeat(width) + "  " + line));
            }
            return lines;
        }
    }
}
