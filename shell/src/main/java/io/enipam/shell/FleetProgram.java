package io.enipam.shell;

import io.enipam.shell.LaunchOptions.ClusterOptions;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.PrivateDirectory;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ProgressLine;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.Session.TerminalSize;
import io.enipam.shell.fleet.Cluster;
import io.enipam.shell.fleet.Cluster.ClusterTarget;
import io.enipam.shell.fleet.Cluster.NodeSelector;
import io.enipam.shell.fleet.DaemonPod;
import io.enipam.shell.fleet.FanOut;
import io.enipam.shell.fleet.FleetCommandLine;
import io.enipam.shell.fleet.NodeReplyWriter;
import io.enipam.shell.fleet.NodeRoute;
import io.enipam.shell.pipe.Pipeline;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;

/** The program at daemons of a cluster. Made only for it: no other run of the shell loads a client of the API server. */
final class FleetProgram implements AutoCloseable {
    private static final int LONGEST_CALLER = 200;

    private final LaunchOptions options;
    private final Cluster cluster;
    private final PrivateDirectory directory;
    private final String caller;
    private final Thread hook;

    private FleetProgram(LaunchOptions options, Cluster cluster, PrivateDirectory directory, String caller) {
        this.options = options;
        this.cluster = cluster;
        this.directory = directory;
        this.caller = caller;
        this.hook = new Thread(directory::close, "fleet-end");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** @throws ShellException if there is no way to a cluster */
    static FleetProgram open(LaunchOptions options, Path scratch, Map<String, String> env) {
        ClusterOptions said = options.cluster;
        ClusterTarget place = new ClusterTarget(
                Optional.ofNullable(said.kubeconfig),
                Optional.ofNullable(said.context),
                said.namespace,
                said.daemonSelector,
                List.of(said.relay.strip().split("\\s+")));
        return new FleetProgram(
                options, Cluster.open(place, env), PrivateDirectory.make(scratch, "private"), caller(env));
    }

    /** What --nodes and --selector said, to find a mistake in it. */
    private static String asked(NodeSelector choice) {
        List<String> parts = new ArrayList<>();
        if (!choice.names().isEmpty()) {
            parts.add("--nodes " + String.join(",", choice.names()));
        }
        if (!choice.selector().isEmpty()) {
            parts.add("--selector " + choice.selector());
        }
        return parts.isEmpty() ? "it has none" : "asked for " + String.join(" and ", parts);
    }

    /** The operator, by the environment's variables: the daemon cannot rely on it, but the audit log has it. */
    private static String caller(Map<String, String> env) {
        String user = env.getOrDefault("USER", System.getProperty("user.name", "unknown"));
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "unknown";
        }
        String whole = (user + "@" + host).replaceAll("[^\\x21-\\x7e]", "?");
        return whole.substring(0, Math.min(whole.length(), LONGEST_CALLER));
    }

    /** The way to one node. What can be known before anything is typed is found out now. */
    NodeRoute route(String node, SessionOutput screen) {
        DaemonPod pod = ProgressLine.during(screen, "looking for the daemon on " + node, () -> cluster.daemonOn(node));
        return new NodeRoute(cluster, directory, node, caller, Optional.of(pod));
    }

    /** Gives the commands to many nodes; the exit status. {@code nowhere} asks no daemon, and perhaps an operator. */
    int all(Session nowhere, Optional<TerminalSize> size) {
        FleetCommandLine line = FleetCommandLine.of(nowhere, pipelines());
        if (!line.questions().isEmpty() && nowhere.asker().isEmpty()) {
            throw ShellException.unconfirmed(
                    "it has to be confirmed and there is no terminal to ask on", "Add --yes to the command");
        }
        NodeSelector choice = new NodeSelector(options.cluster.nodes, options.cluster.selector);
        SortedMap<String, Optional<DaemonPod>> nodes =
                ProgressLine.during(nowhere.screen(), "looking for the nodes", () -> cluster.nodes(choice));
        if (nodes.isEmpty()) {
            throw new ShellException(
                    ExitStatus.NOT_ATTACHED,
                    "NO_NODE",
                    "there is no such node in this cluster: " + asked(choice),
                    "See kubectl get nodes, with -l for labels");
        }
        String commands = "'" + String.join("', '", line.questions()) + "'";
        String question = commands + " on " + nodes.size() + (nodes.size() == 1 ? " node?" : " nodes?");
        if (!line.questions().isEmpty() && !nowhere.asker().get().test(question)) {
            nowhere.screen().out().println("nothing was changed");
            return ExitStatus.DONE.status();
        }
        Function<String, NodeRoute> ways = node -> new NodeRoute(cluster, directory, node, caller, pod(nodes, node));
        FanOut.Pace pace = new FanOut.Pace(options.cluster.parallel, options.cluster.nodeTimeout);
        int columns = size.map(TerminalSize::columns).orElse(0);
        return new FanOut(line, nowhere, pace, ways)
                .run(List.copyOf(nodes.keySet()), new NodeReplyWriter(nowhere, nodes.size(), columns));
    }

    /** One that cannot be used is looked up anew, which says why. */
    private static Optional<DaemonPod> pod(SortedMap<String, Optional<DaemonPod>> nodes, String node) {
        return nodes.getOrDefault(node, Optional.empty())
                .filter(pod -> pod.trouble().isEmpty());
    }

    private List<Pipeline> pipelines() {
        if (options.commands != null) {
            return Pipeline.parse(options.commands);
        }
        if (options.command.isEmpty()) {
            throw ShellException.usage(
                    "many nodes have no prompt",
                    "Say what they are asked: enipam --all-nodes status; or go to one, with --node NAME");
        }
        return List.of(new Pipeline(options.command, List.of(), Optional.empty()));
    }

    @Override
    public void close() {
        cluster.close();
        directory.close();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ends) {
            return; // it runs, and does the same
        }
    }
}
