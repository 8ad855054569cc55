package io.enipam.sandbox;

import io.enipam.kubernetes.testing.FakeApiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code PROGRAM --nodes N --root DIR [OPTION...]}: makes an API server in memory with so many nodes, and runs {@code enipamd} with the
 * options and with settings by which the node IPAM controller serves that cluster; files that it needs for that are in DIR. It ends
 * with the daemon, with the daemon's status; the daemon has its standard input, whose end ends an ephemeral one.
 */
public final class ClusterSandboxMain {
    private static final int USAGE = 2;

    private ClusterSandboxMain() {}

    /** @param args the daemon's program, its options, and among these {@code --nodes N}, which is none of its options */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(Arrays.asList(args));
        int nodes = options.indexOf("--nodes") + 1;
        if (nodes == 0 || nodes == options.size() || !options.get(nodes).matches("[1-9][0-9]{0,2}")) {
            fail("it needs --nodes N, 1 to 999");
        }
        int count = Integer.parseInt(options.remove(nodes));
        options.remove(nodes - 1);
        int root = options.indexOf("--root") + 1;
        if (root == 0 || root == options.size()) {
            fail("it needs --root DIR");
        }
        int status;
        try (FakeApiServer server = new FakeApiServer()) {
            MadeNodes.create(server.client(), count);
            Path settings = settings(Files.createDirectories(Path.of(options.get(root))), server.port());
            List<String> command = new ArrayList<>(List.of(options.get(0), "--config", settings.toString()));
            command.addAll(options.subList(1, options.size()));
            Process daemon = new ProcessBuilder(command).inheritIO().start();
            // a signal that ends this program is meant for the daemon
            Runtime.getRuntime().addShutdownHook(new Thread(daemon::destroy, "shutdown"));
            status = daemon.waitFor();
        }
        // threads of the server may go on for some seconds
        Runtime.getRuntime().halt(status);
    }

    private static void fail(String why) {
        System.err.println("enipam-cluster-sandbox: " + why);
        System.exit(USAGE);
    }

    /** What a file that is named later says wins. */
    static Path settings(Path directory, int port) throws IOException {
        Path kubeconfig = directory.resolve("kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                clusters: [{name: sandbox, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: sandbox, user: {token: sandbox}}]
                contexts: [{name: sandbox, context: {cluster: sandbox, user: sandbox}}]
                current-context: sandbox
                """.formatted(port), StandardCharsets.UTF_8);
        return Files.writeString(
                directory.resolve("sandbox-cluster.yaml"), """
                extensions: [node-ipam, swarm]
                plugins:
                  node-ipam:
                    cluster_cidr: 10.244.0.0/16
                    service_cluster_ip_range: 10.244.240.0/20
                    node_cidr_mask_size: 24
                kubernetes:
                  use: "on"
                  kubeconfig: %s
                  requests_per_second: 200
                """.formatted(kubeconfig), StandardCharsets.UTF_8);
    }
}
