package io.enipam.shell.command;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The shell itself. */
final class SessionCommands {
    private SessionCommands() {}

    @Command(name = "history", description = "The commands typed so far.", footer = "  history")
    static final class History extends ShellCommand {
        History(Session session) {
            super(session);
        }

        @Override
        void run() {
            List<String> lines = session.history();
            print(lines.isEmpty() ? List.of("no history yet: it is what you type at the prompt") : lines);
        }
    }

    @Command(name = "exit", aliases = "quit", description = "Leave the shell; a sandbox is removed.", footer = "  exit")
    static final class Leave extends ShellCommand {
        @Parameters(
                arity = "0..1",
                paramLabel = "STATUS",
                defaultValue = "0",
                description = "Exit status, by default 0.")
        int status;

        Leave(Session session) {
            super(session);
        }

        @Override
        Optional<String> onlyByHand() {
            return Optional.of("a runbook ends at its last line, or at the first that fails");
        }

        @Override
        void run() {
            session.leave(status);
        }
    }
}
