package io.enipam.shell.repl;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.command.CommandRunner;
import io.enipam.shell.command.CommandTree;
import io.enipam.shell.command.Session;
import io.enipam.shell.command.ShellVersion;
import io.enipam.shell.render.NodeViews;
import io.enipam.shell.render.Palette;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.History;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;

/**
 * Reads a line, runs it, and again, until {@code exit}, Ctrl-D, or Ctrl-C twice on an empty line. While a command runs,
 * Ctrl-C ends that command.
 */
public final class Repl {
    private static final Duration GREETING = Duration.ofSeconds(10);

    private final Session session;
    private final CommandRunner runner;
    private final Terminal terminal;
    private final LineReader reader;

    /**
     * @param history the file that keeps what is typed; empty: only this run remembers it
     */
    public Repl(Session session, CommandRunner runner, Terminal terminal, Optional<Path> history) {
        this.session = session;
        this.runner = runner;
        this.terminal = terminal;
        LineReaderBuilder builder = LineReaderBuilder.builder()
                .appName("enipam")
                .terminal(terminal)
                .parser(new DefaultParser())
                .completer(new GrammarCompleter(() -> CommandTree.all(session), new DaemonValues(session::daemon)))
                // an exclamation mark is part of a word here, not a call to an earlier line
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.AUTO_FRESH_LINE, true)
                .variable(LineReader.HISTORY_SIZE, 2000)
                .variable(LineReader.HISTORY_FILE_SIZE, 10_000);
        history.flatMap(HistoryFile::prepared).ifPresent(file -> builder.variable(LineReader.HISTORY_FILE, file));
        this.reader = builder.build();
    }

    /**
     * Greets and serves until the person leaves.
     *
     * @return the exit status
     * @throws ShellException if there is no daemon to begin with; one that goes later is reported by each command
     */
    public int run() {
        GetStatusReply status =
                session.daemon().inspect(GREETING, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
        greet(status);
        session.history(this::history);
        session.asker(this::agrees);
        session.terminal(act -> act.accept(terminal));
        terminal.handle(Signal.INT, signal -> session.interrupts().interrupt());
        String prompt = "enipam(" + Palette.clean(status.getSandbox() ? "sandbox" : status.getNode()) + ")> ";
        return loop(prompt);
    }

    private int loop(String prompt) {
        boolean warned = false;
        while (session.left().isEmpty()) {
            try {
                String line = reader.readLine(prompt);
                warned = false;
                if (runner.line(line) == Exit.INTERRUPTED.status()) {
                    session.screen().out().println();
                }
            } catch (UserInterruptException ctrlC) {
                if (!ctrlC.getPartialLine().isBlank()) {
                    warned = false;
                } else if (warned) {
                    return Exit.DONE.status();
                } else {
                    warned = true;
                    session.screen().out().println("Ctrl-C again, or Ctrl-D, to leave");
                }
            } catch (EndOfFileException ctrlD) {
                return Exit.DONE.status();
            }
        }
        return session.left().getAsInt();
    }

    private void greet(GetStatusReply status) {
        String node = Palette.clean(status.getNode()) + (status.getSandbox() ? " (sandbox)" : "");
        String pool = status.hasPool() ? ": " + NodeViews.pool(status.getPool()) : "";
        session.screen().out().println("enipam " + ShellVersion.get() + " on " + node + pool);
        session.screen().out().println("help lists the commands, TAB completes, Ctrl-D leaves");
        session.screen().out().flush();
    }

    private List<String> history() {
        List<String> lines = new ArrayList<>();
        for (History.Entry entry : reader.getHistory()) {
            lines.add(String.format("%5d  %s", entry.index() + 1, entry.line()));
        }
        return lines;
    }

    private boolean agrees(String question) {
        reader.setVariable(LineReader.DISABLE_HISTORY, true);
        reader.setVariable(LineReader.DISABLE_COMPLETION, true);
        try {
            String answer = reader.readLine(question + " [y/N] ").strip();
            return answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes");
        } catch (UserInterruptException | EndOfFileException no) {
            return false;
        } finally {
            reader.setVariable(LineReader.DISABLE_HISTORY, false);
            reader.setVariable(LineReader.DISABLE_COMPLETION, false);
        }
    }
}
