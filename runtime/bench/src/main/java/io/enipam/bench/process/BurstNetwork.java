package io.enipam.bench.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The network namespace of this process as that of a node: a link with the default route, a link for each ENI, and
 * namespaces for pods. {@code enipam-bench} starts the process in namespaces of its own, with which all of this ends.
 */
final class BurstNetwork {
    private static final Path NAMESPACES = Path.of("/run/netns");

    private int links;

    /** Makes the node's own link. */
    BurstNetwork(int pods) throws IOException, InterruptedException {
        link("02:00:00:00:00:01");
        ip("addr", "add", "10.8.0.7/24", "dev", "nic1");
        ip("route", "add", "default", "via", "10.8.0.1", "dev", "nic1");
        for (int pod = 0; pod < pods; pod++) {
            ip("netns", "add", "pod" + pod);
        }
    }

    /** Makes a link with this hardware address; nothing answers behind it. */
    void link(String mac) throws IOException, InterruptedException {
        String name = "nic" + ++links;
        ip("link", "add", name, "address", mac, "type", "veth", "peer", "name", "far" + links);
        ip("link", "set", name, "up");
        ip("link", "set", "far" + links, "up");
    }

    static String namespace(int pod) {
        return NAMESPACES.resolve("pod" + pod).toString();
    }

    /** Why this process cannot do that here; empty text if it can. */
    static String obstacle(Path bridge) {
        boolean own = System.getenv().containsKey("ENIPAM_BENCH_OWN_NETWORK");
        return !own
                ? "it needs root, unshare, ip and tc"
                : Files.isExecutable(bridge) ? "" : bridge + " is missing: apt install containernetworking-plugins";
    }

    private static void ip(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + said.strip());
        }
    }
}
