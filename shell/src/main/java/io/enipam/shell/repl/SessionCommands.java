package io.enipam.shell.repl;

import static io.enipam.shell.attach.ShellException.usage;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session.HistoryEntry;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.pipe.SystemShell;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jline.utils.InfoCmp.Capability;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

public final class SessionCommands {
    private SessionCommands() {}

    @Command(
            name = "history",
            description = "The commands typed so far, with their times; with TEXT those that hold it.")
    public static final class History extends ListCommand<Struct> {
        private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                description = "Only the last N of them.")
        int last = Integer.MAX_VALUE;

        @Parameters(arity = "0..1", paramLabel = "TEXT", description = "Part of a command.")
        String text = "";

        @Override
        public List<String> inBundle() {
            return List.of(); // what a person typed is private
        }

        @Override
        public void prepare() {
            super.prepare();
            if (last < 1) {
                throw usage("-n is " + last, "Name a number of commands, at least 1");
            }
        }

        @Override
        protected Listed<Struct> listed() {
            return new Listed<>(holding(text), this::typed);
        }

        private ListReply<Struct> typed() {
            List<Struct> all = session.history().stream()
                    .filter(past -> past.line().contains(text))
                    .map(History::item)
                    .toList();
            return ListReply.of(all.subList(Math.max(0, all.size() - last), all.size()));
        }

        /**
         * The commands with a text in them, the oldest first, named by their numbers. The protocol has no message for
         * them, since the daemon has no part in it; numbers are text, as in its messages.
         */
        private static TableListing<Struct> holding(String text) {
            String none = text.isEmpty()
                    ? "no history yet: it is what you type at the prompt"
                    : "no command typed so far holds '" + text + "'";
            return TableListing.<Struct>of("commands", item -> ListReply.text(item, "number"))
                    .none(none, "")
                    .text("number", "NUMBER", item -> ListReply.text(item, "number"))
                    .by("time", "TIME", item -> time(item).toEpochMilli(), History::clock)
                    .text("command", "COMMAND", item -> lines(item).get(0))
                    .under(item -> lines(item).subList(1, lines(item).size()))
                    .flowing()
                    .build();
        }

        private static Struct item(HistoryEntry past) {
            return Struct.newBuilder()
                    .putFields("number", Values.of(Integer.toString(past.number())))
                    .putFields("time", Values.of(past.time().toString()))
                    .putFields("line", Values.of(past.line()))
                    .build();
        }

        private static Table.Cell clock(Struct item, RenderContext look) {
            return Table.cell(TIME.format(time(item).atZone(look.zone())));
        }

        private static Instant time(Struct item) {
            return Instant.parse(ListReply.text(item, "time"));
        }

        private static List<String> lines(Struct item) {
            return List.of(ListReply.text(item, "line").split("\n", -1));
        }
    }

    @Command(
            name = "use",
            description = "The namespace of pods that are named without one; without NAME there is none any more.")
    public static final class Use extends ShellCommand {
        @Parameters(index = "0", paramLabel = "namespace", description = "The word namespace.")
        String what = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The namespace, such as default.")
        String name = "";

        @Override
        public void prepare() {
            if (!what.equals("namespace")) {
                throw usage("'" + what + "' cannot be used", "As in: use namespace default");
            }
            if (name.indexOf('/') >= 0) {
                throw usage("'" + name + "' is no namespace", "As in: use namespace default");
            }
        }

        @Override
        public void run() {
            session.namespace(name);
            print(List.of(
                    name.isEmpty()
                            ? "no namespace is in use"
                            : "a pod without a namespace is one of " + Palette.clean(name) + " now"));
        }
    }

    @Command(
            name = CommandLineLexer.SYSTEM,
            hidden = true,
            description = "Run the rest of the line in the system's shell; not in a read-only shell.")
    public static final class SystemLine extends ShellCommand {
        @Parameters(paramLabel = "CMD", description = "A line of the system's shell.")
        String line = "";

        @Override
        public Optional<String> interactiveOnlyReason() {
            return Optional.of("a runbook runs nothing of the system");
        }

        @Override
        public void prepare() {
            if (session.readOnly()) {
                throw ShellException.readOnly("the system's shell may change something");
            }
        }

        @Override
        public void run() {
            int status = SystemShell.run(line, out(), session.size().isPresent());
            if (status != 0) {
                throw ShellException.verdict("", "the system's shell ended with status " + status, "");
            }
        }
    }

    @Command(name = "clear", description = "Clear the screen; so does Ctrl-L.")
    public static final class Clear extends ShellCommand {
        @Override
        public Optional<String> interactiveOnlyReason() {
            return Optional.of("a runbook has no screen");
        }

        @Override
        public void run() {
            session.terminal()
                    .ifPresent(there -> there.withTerminal(terminal -> {
                        terminal.puts(Capability.clear_screen);
                        terminal.flush();
                    }));
        }
    }

    @Command(name = "exit", aliases = "quit", description = "Leave the shell; a sandbox is removed.")
    public static final class Leave extends ShellCommand {
        @Parameters(
                arity = "0..1",
                paramLabel = "STATUS",
                defaultValue = "0",
                description = "Exit status, 0 to 255. By default 0.")
        int status;

        @Override
        public Optional<String> interactiveOnlyReason() {
            return Optional.of("a runbook ends at its last line, or at the first that fails");
        }

        @Override
        public void prepare() {
            if (status < 0 || status > 255) {
                throw usage("an exit status is 0 to 255, not " + status, "");
            }
        }

        @Override
        public void run() {
            session.requestExit(status);
        }
    }
}
