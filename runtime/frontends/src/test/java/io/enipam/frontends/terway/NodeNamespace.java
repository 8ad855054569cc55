package io.enipam.frontends.terway;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A network namespace for a node and one for each of its pods; closing it removes all of them.
 *
 * @param name of the node's
 * @param life a process in it
 * @param pods the containers that have one
 */
record NodeNamespace(String name, Process life, Set<String> pods) implements AutoCloseable {
    static boolean isPossible() throws IOException {
        String probe = "tv" + Integer.toHexString(ThreadLocalRandom.current().nextInt());
        try {
            command("ip", "netns", "add", probe);
            command("ip", "netns", "del", probe);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static NodeNamespace make() throws IOException {
        String name = "tv" + Integer.toHexString(ThreadLocalRandom.current().nextInt());
        command("ip", "netns", "add", name);
        // echo tells that the process is in the namespace
        Process life = new ProcessBuilder("ip", "netns", "exec", name, "sh", "-c", "echo; exec sleep 3600").start();
        life.getInputStream().read();
        NodeNamespace node = new NodeNamespace(name, life, new LinkedHashSet<>());
        node.run("ip", "link", "set", "lo", "up");
        return node;
    }

    long pid() {
        return life.pid();
    }

    /** Makes the namespace of a container, if there is none. */
    void pod(String container) throws IOException {
        if (pods.add(container)) {
            command("ip", "netns", "add", podNamespace(container));
        }
    }

    private String podNamespace(String container) {
        return name + "-" + container;
    }

    String run(String... words) throws IOException {
        return in(name, words);
    }

    String runIn(String container, String... words) throws IOException {
        return in(podNamespace(container), words);
    }

    /** The namespace of a container, as ip names it; of the node for empty text. */
    String named(String container) {
        return container.isEmpty() ? name : podNamespace(container);
    }

    /** Makes a link that stands for an ENI's, or for a slave of one. */
    void link(String link, String mac) throws IOException {
        run("ip", "link", "add", link, "address", mac, "type", "veth", "peer", "name", link + "p");
        run("ip", "link", "set", link + "p", "up");
        run("ip", "link", "set", link, "up");
    }

    /** Links, routes and rules of the node. */
    String state() throws IOException {
        return links() + run("ip", "route", "show", "table", "all") + run("ip", "rule");
    }

    String links() throws IOException {
        return run("ip", "-o", "link");
    }

    private static String in(String namespace, String... words) throws IOException {
        return command(Stream.concat(Stream.of("ip", "netns", "exec", namespace), Stream.of(words))
                .toArray(String[]::new));
    }

    private static String command(String... words) throws IOException {
        Process process = new ProcessBuilder(words).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // apart: ip complains of each namespace of the machine that goes while it looks, and is content
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(List.of(words) + ": " + said + errors);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return said;
    }

    @Override
    public void close() throws IOException {
        life.destroyForcibly();
        for (String container : pods) {
            command("ip", "netns", "del", podNamespace(container));
        }
        command("ip", "netns", "del", name);
    }
}
