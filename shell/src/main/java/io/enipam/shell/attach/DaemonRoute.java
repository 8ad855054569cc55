package io.enipam.shell.attach;

import java.nio.file.Path;
import java.util.Optional;

/** A way to a daemon: a socket of this machine, and what is known of why nothing answers behind it. Thread-safe. */
public interface DaemonRoute {
    /** What to connect to. */
    Path socket();

    /** Where it leads, for messages: {@code node cn-1}. */
    String name();

    /**
     * The caller's name for the daemon's audit log: at most 200 printable characters of ASCII. The daemon cannot check
     * it.
     */
    String caller();

    /** Why the last connection was not made, or broke; empty if neither happened. */
    Optional<ShellException> diagnose();

    /** The route to a daemon of this machine, which is the socket itself. */
    static DaemonRoute local(Path socket) {
        return new Local(socket);
    }

    /** See {@link #local}. */
    record Local(Path socket) implements DaemonRoute {
        @Override
        public String name() {
            return socket.toString();
        }

        @Override
        public String caller() {
            return "";
        }

        @Override
        public Optional<ShellException> diagnose() {
            return Optional.empty();
        }
    }
}
