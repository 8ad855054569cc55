package io.enipam.daemon;

import io.enipam.recovery.RecoveryReport;
import io.enipam.recovery.RecoveryReport.JsonReport;
import io.enipam.recovery.RecoveryReport.TextReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The command line options of {@code enipamd}; filled in by picocli. */
final class DaemonOptions {
    @Option(names = "--root", paramLabel = "DIR", description = "Keep every file below DIR and touch nothing outside.")
    Optional<Path> root = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            arity = "1..*",
            description = "Read these files after the usual ones: *.json with terway's names, others with enipam's.")
    List<Path> files = new ArrayList<>();

    @Option(
            names = "--role",
            paramLabel = "node|cluster",
            description =
                    "What the daemon is: that of a node, or one of the cluster, which has no pool and runs plugins'"
                            + " extensions of role CLUSTER. It reads cluster.json and cluster.yaml, and keeps its files in"
                            + " /var/lib/enipam-cluster.")
    Optional<String> role = Optional.empty();

    @Option(
            names = "--emulate",
            description = "Run on an emulated cloud in this process; with --role cluster, without an API server. Needs"
                    + " --root.")
    boolean emulate;

    @Option(
            names = "--ephemeral",
            description = "Stop when standard input ends, and delete DIR if it was made or empty at the start.")
    boolean ephemeral;

    @Option(
            names = "--plugin",
            paramLabel = "PATH",
            arity = "1..*",
            description = "Load this plugin, too: a jar, or a directory with jars. Those in the plugins directory below"
                    + " /var/lib/enipam, or DIR/lib, are loaded in any case.")
    List<Path> plugins = new ArrayList<>();

    @Option(
            names = "--example",
            paramLabel = "PATH",
            arity = "1..*",
            description = "As --plugin, for a plugin that gives way to another one of its id: a sandbox's examples.")
    List<Path> examples = new ArrayList<>();

    @Option(names = "--check-config", description = "Check the configuration, touch nothing, and exit.")
    boolean checkConfig;

    @Option(
            names = "--config-reference",
            description =
                    "Print every setting there is, those of plugins included, as a document in Markdown, and exit.")
    boolean configReference;

    @Option(
            names = "--doctor-reference",
            description = "Print what each check of 'enipam doctor' looks at, as a document in Markdown, and exit.")
    boolean doctorReference;

    @Option(names = "--log-format", paramLabel = "line|json", description = "How log records are written.")
    Optional<String> logFormat = Optional.empty();

    @Option(names = "--log-level", paramLabel = "LEVEL", description = "trace, debug, info, warn or error.")
    Optional<String> logLevel = Optional.empty();

    @Option(
            names = "--recover",
            description =
                    "Rebuild a damaged or lost database from what is left of it and from the kernel, the API server and"
                            + " the cloud; tell every decision; keep the damaged files aside; and exit. Do this while no daemon runs.")
    boolean recover;

    @Option(names = "--dry-run", description = "With --recover: tell all that would be done, and change nothing.")
    boolean dryRun;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "With --recover: how long each of kernel, API server and cloud has to answer; 30 unless said"
                    + " otherwise. Who does not counts as unknown.")
    Optional<Integer> wait = Optional.empty();

    @Option(
            names = "--output",
            paramLabel = "text|json",
            description = "With --recover: how it tells; json is an object in each line.")
    Optional<Output> output = Optional.empty();

    boolean ofCluster() {
        return role.equals(Optional.of("cluster"));
    }

    /** Where the daemon's files are. */
    DaemonLayout layout() {
        return root.map(DaemonLayout::below)
                .orElseGet(() -> ofCluster() ? DaemonLayout.ofClusterSystem() : DaemonLayout.ofSystem());
    }

    /** The time limit for each source's answer. */
    Duration patience() {
        return Duration.ofSeconds(wait.orElse(30));
    }

    /** The error in the combination of options; empty if there is none. */
    Optional<String> mistake() {
        if (root.isEmpty() && (emulate || ephemeral)) {
            return Optional.of((emulate ? "--emulate" : "--ephemeral") + " needs --root DIR");
        }
        if (!recover && (dryRun || wait.isPresent() || output.isPresent())) {
            String option = dryRun ? "--dry-run" : wait.isPresent() ? "--wait" : "--output";
            return Optional.of(option + " is of use with --recover only");
        }
        if (recover && ofCluster()) {
            return Optional.of("--recover rebuilds the database of a node; of role cluster restore a backup with"
                    + " --restore-db");
        }
        if (recover && (ephemeral || checkConfig || configReference || doctorReference)) {
            String reference = configReference ? "--config-reference" : "--doctor-reference";
            String other = ephemeral ? "--ephemeral" : checkConfig ? "--check-config" : reference;
            return Optional.of("--recover cannot be combined with " + other);
        }
        if (wait.isPresent() && (wait.get() < 1 || wait.get() > 3600)) {
            return Optional.of("--wait " + wait.get() + ": 1 to 3600 seconds are allowed");
        }
        return Optional.empty();
    }

    /** The output format of a recovery. */
    enum Output {
        text(TextReport::new),
        json(JsonReport::new);

        private final Function<PrintWriter, RecoveryReport> report;

        Output(Function<PrintWriter, RecoveryReport> report) {
            this.report = report;
        }

        RecoveryReport on(PrintWriter out) {
            return report.apply(out);
        }
    }
}
