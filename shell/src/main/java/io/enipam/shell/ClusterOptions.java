package io.enipam.shell;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DurationConverter;
import io.enipam.shell.fleet.ClusterTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster, and which of its nodes. They need {@code --node} or {@code --all-nodes}. */
final class ClusterOptions {
    private static final int MOST_PARALLEL = 256;

    @Option(names = "--nodes", paramLabel = "A,B", split = ",", description = "With --all-nodes: only these.")
    List<String> nodes = new ArrayList<>();

    @Option(
            names = "--selector",
            paramLabel = "LABELS",
            description = "With --all-nodes: only nodes with these labels, as in kubectl -l.")
    @Nullable
    String selector;

    @Option(names = "--parallel", paramLabel = "N", description = "With --all-nodes: so many at once. By default 16.")
    @Nullable
    Integer parallel;

    @Option(
            names = "--node-timeout",
            paramLabel = "SPAN",
            converter = DurationConverter.class,
            description = "With --all-nodes: how long one node may take. By default 30s.")
    @Nullable
    Duration nodeTimeout;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "By default KUBECONFIG, ~/.kube/config, or the service account of the pod.")
    @Nullable
    Path kubeconfig;

    @Option(names = "--context", paramLabel = "NAME", description = "Of the kubeconfig. By default its current one.")
    @Nullable
    String context;

    @Option(
            names = "--daemon-namespace",
            paramLabel = "NAME",
            description = "Where the daemons' pods are. By default " + ClusterTarget.NAMESPACE + ".")
    @Nullable
    String namespace;

    @Option(
            names = "--daemon-selector",
            paramLabel = "LABELS",
            description = {"Their labels. By default", ClusterTarget.SELECTOR + "."})
    @Nullable
    String daemonSelector;

    @Option(
            names = "--relay",
            paramLabel = "CMD",
            description = "What is run in the pod. By default '" + ClusterTarget.RELAY + "'.")
    @Nullable
    String relay;

    /** Throws a usage error if something was said of a cluster, or of many nodes, that is not asked. */
    void check(boolean cluster, boolean many) {
        if (!many) {
            require("is for many nodes", "Add --all-nodes", fleetOptions());
        }
        if (!cluster) {
            require("is for a daemon of a cluster", "Add --node NAME or --all-nodes", clusterOptions());
        }
        if (parallel != null && (parallel < 1 || parallel > MOST_PARALLEL)) {
            throw usage("--parallel is " + parallel + ", and may be from 1 to " + MOST_PARALLEL, "");
        }
        if (nodeTimeout != null && (nodeTimeout.isNegative() || nodeTimeout.isZero())) {
            throw usage("--node-timeout has to be more than nothing", "As in --node-timeout 30s");
        }
        nodes.stream()
                .filter(name -> !name.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?"))
                .findFirst()
                .ifPresent(name -> {
                    throw usage("--nodes: '" + name + "' cannot be the name of a node", "As in --nodes cn-1,cn-2");
                });
    }

    private Stream<Optional<String>> fleetOptions() {
        return Stream.of(
                given("--nodes", !nodes.isEmpty()),
                given("--selector", selector != null),
                given("--parallel", parallel != null),
                given("--node-timeout", nodeTimeout != null));
    }

    private Stream<Optional<String>> clusterOptions() {
        return Stream.of(
                given("--kubeconfig", kubeconfig != null),
                given("--context", context != null),
                given("--daemon-namespace", namespace != null),
                given("--daemon-selector", daemonSelector != null),
                given("--relay", relay != null));
    }

    private static Optional<String> given(String name, boolean is) {
        return is ? Optional.of(name) : Optional.empty();
    }

    private static void require(String what, String hint, Stream<Optional<String>> options) {
        options.flatMap(Optional::stream).findFirst().ifPresent(name -> {
            throw usage(name + " " + what, hint);
        });
    }

    int parallel() {
        return parallel == null ? 16 : parallel;
    }

    Duration perNode() {
        return nodeTimeout == null ? Duration.ofSeconds(30) : nodeTimeout;
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(ExitStatus.USAGE, "", why, hint);
    }
}
