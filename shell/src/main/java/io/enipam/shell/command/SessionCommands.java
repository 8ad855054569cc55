package io.enipam.shell.command;

import com.google.protobuf.Struct;
import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Listing;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The shell itself. */
final class SessionCommands {
    private SessionCommands() {}

    @Command(
            name = "history",
            description = {
                "The commands typed so far, with their times; with TEXT those that hold it.",
                "",
                "They are kept in ~/.enipam_history, for you alone. Values of what is called a",
                "password, token, secret or key are not kept, nor is a line that begins with a",
                "blank. Ctrl-R at the prompt searches."
            },
            footer = {
                "  history -n 2 web-0",
                "",
                "  NUMBER  TIME                 COMMAND",
                "  14      2026-11-21 04:51:12  cni add --pod default/web-0",
                "  17      2026-11-21 04:53:40  pod show default/web-0"
            })
    static final class History extends ListCommand<Struct> {
        @Option(names = "-n", paramLabel = "N", description = "Only the last N of them.")
        int last = Integer.MAX_VALUE;

        @Parameters(arity = "0..1", paramLabel = "TEXT", description = "Part of a command.")
        String text = "";

        History(Session session) {
            super(session);
        }

        @Override
        List<String> inBundle() {
            return List.of(); // what somebody typed is his own
        }

        @Override
        void prepare() {
            super.prepare();
            if (last < 1) {
                throw new ShellException(Exit.USAGE, "", "-n is " + last, "Name a number of commands, at least 1");
            }
        }

        @Override
        Listing<Struct> listing() {
            return PastViews.holding(text);
        }

        @Override
        Answer<Struct> ask() {
            List<Struct> all = session.history().stream()
                    .filter(past -> past.line().contains(text))
                    .map(PastViews::item)
                    .toList();
            return Answer.of(all.subList(Math.max(0, all.size() - last), all.size()));
        }
    }

    @Command(name = "exit", aliases = "quit", description = "Leave the shell; a sandbox is removed.", footer = "  exit")
    static final class Leave extends ShellCommand {
        @Parameters(
                arity = "0..1",
                paramLabel = "STATUS",
                defaultValue = "0",
                description = "Exit status, 0 to 255. By default 0.")
        int status;

        Leave(Session session) {
            super(session);
        }

        @Override
        Optional<String> onlyByHand() {
            return Optional.of("a runbook ends at its last line, or at the first that fails");
        }

        @Override
        void prepare() {
            if (status < 0 || status > 255) {
                throw new ShellException(Exit.USAGE, "", "an exit status is 0 to 255, not " + status, "");
            }
        }

        @Override
        void run() {
            session.leave(status);
        }
    }
}
