package io.enipam.shell;

import static io.enipam.shell.attach.ShellException.usage;

import io.enipam.shell.attach.ExamplePlugins;
import io.enipam.shell.attach.SocketPath;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.fleet.Cluster.ClusterTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;

/** What stands before the command. Everything from the first word that is no option on is the command. */
@Command(
        name = "enipam",
        customSynopsis = {
            "enipam [--socket PATH | --sandbox | --node NAME] [-o FORMAT] [CMD ARGS...]",
            "       enipam [--socket PATH | --sandbox | --node NAME] [-o FORMAT] -c 'CMD; CMD'",
            "       enipam --sandbox [--role ROLE] [--nodes N] [--plugin PATH]... [--config FILE]... ...",
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
                "A dry run is none, and a runbook only if a step of it is.",
                "ENIPAM_READ_ONLY=1 in the environment does the same."
            })
    boolean readOnly;

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = {
                "Show listings as they were then: so long ago, such as '10m ago', a time of the day, such as 05:57,",
                "or 2026-11-27T05:57:00Z. Nothing can be changed; what knows the present alone is refused."
            })
    String at = "";

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

    /** How many nodes the cluster of a sandbox has; empty for a sandbox without one. Throws a usage error for what is no such number. */
    OptionalInt madeNodes() {
        if (!where.sandbox || cluster.nodes.isEmpty()) {
            return OptionalInt.empty();
        }
        String text = String.join(",", cluster.nodes);
        if (sandbox.role != DaemonRole.cluster) {
            throw usage("--nodes of a sandbox is for its cluster, and this one has none", "Add --role cluster");
        }
        if (!text.matches("[1-9][0-9]{0,2}")) {
            throw usage("--nodes is '" + text + "', and a sandbox has 1 to 999", "As in --nodes 50");
        }
        return OptionalInt.of(Integer.parseInt(text));
    }

    CommandLine parser() {
        return Grammar.parser(this).setStopAtPositional(true);
    }

    /** What a sandbox's daemon is started with. A daemon that runs already has its own, so these need {@code --sandbox}. */
    static final class SandboxOptions {
        @Option(
                names = "--role",
                paramLabel = "ROLE",
                description = "What the sandbox's daemon is: node, as by default, or cluster, without pool and cloud.")
        @Nullable
        DaemonRole role;

        @Option(
                names = "--plugin",
                paramLabel = "PATH",
                description = "Load a plugin into the sandbox: a jar, or a directory of jars. Repeatable.")
        List<Path> plugins = new ArrayList<>();

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "A configuration file for the sandbox, eni.json or enipam.yaml. Repeatable.")
        List<Path> configs = new ArrayList<>();

        /** The words for {@code enipamd}, with absolute paths; throws a usage error for what is missing. */
        List<String> words(boolean sandbox) {
            boolean forPlugin = !plugins.isEmpty();
            if (!sandbox && (forPlugin || !configs.isEmpty() || role != null)) {
                throw usage(
                        (forPlugin ? "--plugin" : configs.isEmpty() ? "--role" : "--config")
                                + " is for a sandbox, and this is a daemon that runs already",
                        (forPlugin ? "Put the plugin into its plugin directory" : "Configure that daemon")
                                + ", or add --sandbox");
            }
            List<String> words = new ArrayList<>();
            if (role != null) {
                words.addAll(List.of("--role", role.name()));
            }
            for (Path plugin : plugins) {
                requirePlugin(plugin);
                words.addAll(List.of("--plugin", plugin.toAbsolutePath().toString()));
            }
            for (Path config : configs) {
                requireConfig(config);
                words.addAll(List.of("--config", config.toAbsolutePath().toString()));
            }
            return words;
        }

        private static void requirePlugin(Path path) {
            boolean directory = Files.isDirectory(path);
            if (directory ? !holdsJars(path) : !isJar(path) || !Files.exists(path)) {
                String why = directory ? path + " has no jar in it" : path + " is no jar";
                throw usage(
                        "--plugin: " + (Files.exists(path) ? why : "there is no " + path),
                        "Name a jar, or a directory of jars");
            }
        }

        private static boolean holdsJars(Path path) {
            try {
                return ExamplePlugins.holdsJars(path);
            } catch (IOException e) {
                throw usage("--plugin: " + path + " cannot be read (" + e + ")", "");
            }
        }

        private static boolean isJar(Path path) {
            return String.valueOf(path.getFileName()).endsWith(".jar");
        }

        private static void requireConfig(Path path) {
            if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
                String why = Files.exists(path) ? path + " is not a file that can be read" : "there is no " + path;
                throw usage("--config: " + why, "Name a file such as enipam.yaml");
            }
        }
    }

    /** What a daemon is. */
    enum DaemonRole {
        node,
        cluster
    }

    /** Which cluster, and which of its nodes. They need {@code --node} or {@code --all-nodes}. */
    static final class ClusterOptions {
        private static final int MOST_PARALLEL = 256;
        private static final String NODES = "--nodes";
        private static final List<String> OF_MANY = List.of(NODES, "--selector", "--parallel", "--node-timeout");
        private static final List<String> OF_CLUSTER =
                List.of("--kubeconfig", "--context", "--daemon-namespace", "--daemon-selector", "--relay");

        @Option(
                names = NODES,
                paramLabel = "A,B",
                split = ",",
                description = {
                    "With --all-nodes: only these. With --sandbox --role cluster: how many",
                    "nodes its cluster has, in an API server in memory."
                })
        List<String> nodes = new ArrayList<>();

        @Option(
                names = "--selector",
                paramLabel = "LABELS",
                description = "With --all-nodes: only nodes with these labels, as in kubectl -l.")
        String selector = "";

        @Option(
                names = "--parallel",
                paramLabel = "N",
                description = "With --all-nodes: so many at once. By default 16.")
        int parallel = 16;

        @Option(
                names = "--node-timeout",
                paramLabel = "SPAN",
                description = "With --all-nodes: how long one node may take. By default 30s.")
        Duration nodeTimeout = Duration.ofSeconds(30);

        @Option(
                names = "--kubeconfig",
                paramLabel = "FILE",
                description = "By default KUBECONFIG, ~/.kube/config, or the service account of the pod.")
        @Nullable
        Path kubeconfig;

        @Option(
                names = "--context",
                paramLabel = "NAME",
                description = "Of the kubeconfig. By default its current one.")
        @Nullable
        String context;

        @Option(
                names = "--daemon-namespace",
                paramLabel = "NAME",
                description = "Where the daemons' pods are. By default " + ClusterTarget.NAMESPACE + ".")
        String namespace = ClusterTarget.NAMESPACE;

        @Option(
                names = "--daemon-selector",
                paramLabel = "LABELS",
                description = {"Their labels. By default", ClusterTarget.SELECTOR + "."})
        String daemonSelector = ClusterTarget.SELECTOR;

        @Option(
                names = "--relay",
                paramLabel = "CMD",
                description = "What is run in the pod. By default '" + ClusterTarget.RELAY + "'.")
        String relay = ClusterTarget.RELAY;

        /**
         * Throws a usage error if something was said of a cluster, or of many nodes, that is not asked.
         *
         * @param madeNodes whether {@code --nodes} is the number of those of a sandbox
         */
        void check(ParseResult given, boolean cluster, boolean many, boolean madeNodes) {
            if (!many) {
                List<String> refused = new ArrayList<>(OF_MANY);
                refused.removeIf(name -> madeNodes && name.equals(NODES));
                refuse(given, refused, "is for many nodes", "Add --all-nodes");
            }
            if (!cluster) {
                refuse(given, OF_CLUSTER, "is for a daemon of a cluster", "Add --node NAME or --all-nodes");
            }
            if (parallel < 1 || parallel > MOST_PARALLEL) {
                throw usage("--parallel is " + parallel + ", and may be from 1 to " + MOST_PARALLEL, "");
            }
            if (nodeTimeout.isNegative() || nodeTimeout.isZero()) {
                throw usage("--node-timeout has to be more than nothing", "As in --node-timeout 30s");
            }
            for (String name : nodes) {
                if (!name.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
                    throw usage("--nodes: '" + name + "' cannot be the name of a node", "As in --nodes cn-1,cn-2");
                }
            }
        }

        private static void refuse(ParseResult given, List<String> options, String what, String hint) {
            options.stream().filter(given::hasMatchedOption).findFirst().ifPresent(name -> {
                throw usage(name + " " + what, hint);
            });
        }
    }
}
