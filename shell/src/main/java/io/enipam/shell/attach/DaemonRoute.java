package io.enipam.shell.attach;

import java.nio.file.Path;
import java.util.Optional;

/** A way to a daemon: by default the socket on this machine alone, which is the daemon's own. Thread-safe. */
@FunctionalInterface
public interface DaemonRoute {
    Path socket();

    /** Where it leads, for messages: {@code node cn-1}. */
    default String name() {
        return socket().toString();
    }

    /** The caller's name for the audit log, which cannot check it: at most 200 printable characters of ASCII. */
    default String caller() {
        return "";
    }

    /** Why the last connection was not made, or broke; empty if neither happened. */
    default Optional<ShellException> diagnose() {
        return Optional.empty();
    }
}
