package io.enipam.shell;

import io.enipam.shell.attach.SocketPath;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.PlainCommandLine;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What stands before the command. Everything from the first word that is no option on is the command. */
@Command(
        name = "enipam",
        customSynopsis = {
            "enipam [--socket PATH | --sandbox | --node NAME] [-o FORMAT] [CMD ARGS...]",
            "       enipam [--socket PATH | --sandbox | --node NAME] [-o FORMAT] -c 'CMD; CMD'",
            "       enipam --sandbox [--plugin PATH]... [--config FILE]... ...",
            "       enipam --all-nodes [--selector LABELS | --nodes A,B] [-o FORMAT] -c 'CMD; CMD'"
        },
        description = {
            "",
            "Attaches to the node's enipamd, or with --sandbox to a private one that is",
            "removed at exit. Without a command it is an interactive shell; if stdin is no",
            "terminal, it reads commands from there, line by line.",
            "With --node it attaches to the daemon of another node, through the API server",
            "and an exec into the daemon's pod; --all-nodes gives the commands to all of",
            "them, and prints one table, or a document for each with -o json or yaml.",
            ""
        },
        footer = {
            "",
            "Several commands stop at the first that fails. Exit status: 0 done, 1 the",
            "daemon said no, 2 usage, 3 cannot attach, 4 a runbook found what it did not",
            "expect, 130 interrupted. Of many nodes the worst counts, in the order",
            "0, 1, 4, 2, 3, 130."
        })
final class LaunchOptions {
    /** Which daemon. */
    static final class Where {
        @Option(names = "--socket", paramLabel = "PATH", description = "By default /var/run/enipam/enipam.sock.")
        @Nullable
        Path socket;

        @Option(
                names = "--sandbox",
                description = "A private daemon on a private emulator: no cloud, no cluster, no root.")
        boolean sandbox;

        @Option(
                names = "--node",
                paramLabel = "NAME",
                description = "The daemon of this node of a Kubernetes cluster, by an exec into its pod.")
        @Nullable
        String node;

        @Option(names = "--all-nodes", description = "The daemons of all nodes, one answer after the other.")
        boolean allNodes;

        boolean inCluster() {
            return node != null || allNodes;
        }
    }

    @ArgGroup(exclusive = true)
    Where where = new Where();

    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            converter = OutputFormat.Reader.class,
            description = "How answers are printed: ${COMPLETION-CANDIDATES}. Also after each command.")
    OutputFormat output = OutputFormat.TABLE;

    @Option(
            names = "--read-only",
            description = {
                "Refuse every command that changes something, before anything is sent.",
                "A dry run that the daemon would have to compute for a change is refused, too.",
                "ENIPAM_READ_ONLY=1 in the environment does the same."
            })
    boolean readOnly;

    @Option(names = "-c", paramLabel = "CMDS", description = "The commands to run, separated by semicolons.")
    @Nullable
    String commands;

    @Option(names = "--no-pager", description = "At the prompt, let long output run over the screen.")
    boolean noPager;

    @Option(names = "--no-tips", description = "At the prompt, show no tips below the line; F1 shows them.")
    boolean noTips;

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
        return PlainCommandLine.of(this).setStopAtPositional(true);
    }
}
