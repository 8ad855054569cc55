package io.enipam.sdk;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where an {@link Endpoint} listens.
 *
 * @param socket the path of a unix socket, absolute, at most 107 bytes; empty for a port. The host makes its directory, replaces a socket
 *     that no process serves, and touches no other file that is there
 * @param port of 127.0.0.1, 1 to 65,535, or 0 for one that the kernel chooses; 0 for a unix socket
 * @param group whose members may connect to the unix socket besides its owner (mode 0660); empty for the owner alone (0600)
 */
public record EndpointSpec(Optional<Path> socket, int port, Optional<String> group, Limits limits) {
    private static final int LONGEST_PATH = 107;

    /**
     * What clients may take.
     *
     * @param connections the most at one time, 1 to 1,000; the host closes what comes beyond at once
     * @param body of an HTTP request, in bytes, at most 16 Mi
     * @param idle how long a connection may bring nothing between two requests, and how long a read of a stream waits
     * @param deadline for a request to come in whole, for its answer, and for a write to go out; each for itself
     */
    public record Limits(int connections, int body, Duration idle, Duration deadline) {
        public static final Limits USUAL = new Limits(64, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(30));

        public Limits {
            within("connections", connections, 1, 1_000);
            within("body", body, 0, 16 << 20);
            within("idle in seconds", idle.toSeconds(), 1, 86_400);
            within("deadline in seconds", deadline.toSeconds(), 1, 600);
        }

        private static void within(String what, long value, long least, long most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(
                        what + " of an endpoint: " + least + " to " + most + ", got " + value);
            }
        }
    }

    public EndpointSpec {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port " + port + " of an endpoint");
        }
        socket.ifPresent(path -> {
            if (!path.isAbsolute() || path.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
                throw new IllegalArgumentException("the socket " + path
                        + " of an endpoint: an absolute path of at most " + LONGEST_PATH + " bytes");
            }
        });
    }

    /** A unix socket for its owner alone. */
    public static EndpointSpec unix(Path socket) {
        return new EndpointSpec(Optional.of(socket), 0, Optional.empty(), Limits.USUAL);
    }

    /** A port of 127.0.0.1, which every user of the host can reach. */
    public static EndpointSpec loopback(int port) {
        return new EndpointSpec(Optional.empty(), port, Optional.empty(), Limits.USUAL);
    }

    public EndpointSpec withGroup(String name) {
        return new EndpointSpec(socket, port, Optional.of(name), limits);
    }

    public EndpointSpec withLimits(Limits other) {
        return new EndpointSpec(socket, port, group, other);
    }
}
