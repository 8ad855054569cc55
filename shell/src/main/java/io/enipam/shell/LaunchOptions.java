package io.enipam.shell;

import io.enipam.shell.attach.SocketPath;
import io.enipam.shell.command.OutputFormat;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What stands before the command. Everything from the first word that is no option on is the command. */
@Command(
        name = "enipam",
        customSynopsis = {
            "enipam [--socket PATH | --sandbox] [-o FORMAT]                      the interactive shell",
            "       enipam [--socket PATH | --sandbox] [-o FORMAT] CMD ARGS...          one command",
            "       enipam [--socket PATH | --sandbox] [-o FORMAT] -c 'CMD; CMD'        several"
        },
        description = {
            "",
            "Attaches to the node's enipamd, or with --sandbox starts a private one that is removed at exit.",
            "Without a command it reads commands: from the terminal, or line by line from stdin.",
            ""
        },
        footer = {
            "",
            "Several commands stop at the first that fails. Exit status: 0 done, 1 the daemon said no, 2 usage,",
            "3 cannot attach, 130 interrupted. NO_COLOR is honoured."
        })
final class LaunchOptions {
    /** Which daemon. */
    static final class Where {
        @Option(
                names = "--socket",
                paramLabel = "PATH",
                description = "The daemon's socket; by default /var/run/enipam/enipam.sock.")
        @Nullable
        Path socket;

        @Option(
                names = "--sandbox",
                description = "A private daemon on a private emulator: no cloud, no cluster, no root.")
        boolean sandbox;
    }

    @ArgGroup(exclusive = true)
    Where where = new Where();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Reader.class,
            description = "How answers are printed: ${COMPLETION-CANDIDATES}. Also after each command.")
    OutputFormat output = OutputFormat.TABLE;

    @Option(names = "-c", paramLabel = "CMDS", description = "The commands to run, separated by semicolons.")
    @Nullable
    String commands;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Say this.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "The version of this shell.")
    boolean version;

    @Parameters(hidden = true)
    List<String> command = List.of();

    Path socket() {
        return where.socket == null ? SocketPath.DEFAULT : where.socket;
    }

    CommandLine parser() {
        return new CommandLine(this).setStopAtPositional(true);
    }
}
