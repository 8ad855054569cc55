package io.enipam.shell.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Where a daemon listens, looked at before anything connects: a file says more clearly than a channel what is wrong. */
public final class SocketPath {
    /** What fits into {@code sockaddr_un.sun_path} with its terminating zero (Linux, unix(7)). */
    public static final int MAX_BYTES = 107;

    /** Where the daemon of this node listens by default. */
    public static final Path DEFAULT = Path.of("/var/run/enipam/enipam.sock");

    private SocketPath() {}

    /** Throws {@link ShellException} if the path is too long for a socket's. */
    public static void requireShort(Path path) {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_BYTES) {
            throw ShellException.unattached(
                    "the path " + path + " has " + length + " bytes, and a unix socket's path has at most " + MAX_BYTES,
                    "Use a shorter directory, or a symbolic link to it",
                    null);
        }
    }

    /** Throws {@link ShellException} if there is no socket to connect to, or it may not be looked at. */
    public static void requireSocket(Path path) {
        requireShort(path);
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (!attributes.isOther()) {
                throw ShellException.unattached(
                        path + " is not a socket", "Name the daemon's socket with --socket PATH", null);
            }
        } catch (NoSuchFileException e) {
            throw missing(path, e);
        } catch (AccessDeniedException e) {
            throw denied(path, e);
        } catch (IOException e) {
            throw ShellException.unattached(
                    path + " cannot be looked at: " + e.getMessage(), "Name it with --socket PATH", e);
        }
    }

    /** Whether the daemon lets this process change things, as root and the socket's owner; true if unknown. */
    public static boolean mayControl(Path socket) {
        try {
            Object own = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return own.equals(0) || own.equals(Files.getAttribute(socket, "unix:uid"));
        } catch (IOException | UnsupportedOperationException unknown) {
            return true;
        }
    }

    static ShellException missing(Path path, Throwable cause) {
        return ShellException.unattached(
                "there is no socket " + path,
                "Is enipamd running? Name its socket with --socket PATH, or try enipam --sandbox",
                cause);
    }

    static ShellException denied(Path path, Throwable cause) {
        return ShellException.unattached(
                "permission denied on " + path, "Use sudo, or let an administrator add you to the group enipam", cause);
    }

    static ShellException deserted(Path path, Throwable cause) {
        return ShellException.unattached(
                "nobody listens on " + path,
                "The daemon that made it is gone: start enipamd, or try enipam --sandbox",
                cause);
    }
}
