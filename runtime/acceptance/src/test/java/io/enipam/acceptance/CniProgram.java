package io.enipam.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A program of the CNI, called as a container runtime calls it: a front of the daemon's, or a plugin that calls one. Thread-safe.
 *
 * @param command the words of it, which may enter a namespace
 * @param socket where the daemon takes calls
 */
record CniProgram(List<String> command, Path socket) {
    /** Where the fronts are. */
    static final Path FRONTS = Project.root().resolve("runtime/cni/target/bin");

    /** The reference plugin, of Debian's package containernetworking-plugins. */
    static final Path BRIDGE = Path.of("/usr/lib/cni/bridge");

    private static final ObjectMapper JSON = new ObjectMapper();

    CniProgram {
        command = List.copyOf(command);
    }

    /** @param name {@code enipam-cni} or {@code enipam-ipam} */
    static CniProgram front(String name, Path socket) {
        return new CniProgram(List.of(FRONTS.resolve(name).toString()), socket);
    }

    /** How it ended, and what it said. */
    record Answer(int status, String out, String err) {
        boolean isDone() {
            return status == 0;
        }

        JsonNode json() {
            try {
                return JSON.readTree(out);
            } catch (IOException e) {
                throw new AssertionError("this is no JSON: " + this, e);
            }
        }

        /** The first address of a result, with the length of its prefix; empty text if there is none. */
        String address() {
            return json().path("ips").path(0).path("address").asText();
        }
    }

    /** The variables of a call for a container's {@code eth0}. */
    static Map<String, String> variables(String command, String container, String netns, String args) {
        return Map.of(
                "CNI_COMMAND", command,
                "CNI_CONTAINERID", container,
                "CNI_NETNS", netns,
                "CNI_IFNAME", "eth0",
                "CNI_PATH", FRONTS + ":" + BRIDGE.getParent(),
                "CNI_ARGS", args);
    }

    /** @param network the configuration */
    Answer call(Map<String, String> variables, String network) {
        return ended(start(variables, network));
    }

    /** Waits for a call that was begun. */
    Answer ended(Process begun) {
        ProgramRunner.Result ended = ProgramRunner.ended(Path.of(command.get(command.size() - 1)), begun);
        return new Answer(ended.status(), ended.out(), ended.err());
    }

    /** Begins a call. */
    Process start(Map<String, String> variables, String network) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(variables);
        builder.environment().put("ENIPAM_CNI_SOCKET", socket.toString());
        try {
            Process process = builder.start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(network.getBytes(UTF_8));
            }
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
