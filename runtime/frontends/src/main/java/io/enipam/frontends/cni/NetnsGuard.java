package io.enipam.frontends.cni;

import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Keeps a call from taking the node's own network namespace for a pod's: its routes would be the node's. */
public final class NetnsGuard {
    private static final Path OWN = Path.of("/proc/self/ns/net");

    private NetnsGuard() {}

    /**
     * @param any whether the daemon's own is allowed
     * @throws CniException code 8 if it is not there, or is the daemon's own and nothing allows that; 5 if it cannot be looked at
     */
    public static void check(String netns, boolean any) {
        try {
            Map<String, Object> theirs = identity(Path.of(netns));
            if (!any && theirs.equals(identity(OWN))) {
                throw new CniException(
                        CniErrorCode.INVALID_NETNS,
                        "CNI_NETNS " + netns + " is the network namespace of the daemon itself, and no pod's",
                        "CNI_NETNS_OVERRIDE=1 allows it");
            }
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new CniException(
                    CniErrorCode.INVALID_NETNS,
                    "CNI_NETNS " + netns + " does not exist here",
                    "if a runtime made it, the daemon sees another file system: mount the runtime's directory into it");
        } catch (IOException e) {
            throw new CniException(
                    CniErrorCode.IO_FAILURE,
                    "CNI_NETNS " + netns + " cannot be looked at: " + reason(e),
                    "the daemon needs root and the node's process and mount namespaces: see its DaemonSet or unit");
        }
    }

    /**
     * Keeps a call from taking one sandbox's network away for another's: a container has one namespace from ADD to DEL.
     *
     * @param connected the namespace that the container is connected to, which is there; empty if it is connected to none
     * @param netns {@code CNI_NETNS}, which is there
     * @throws CniException code 4 if they are two
     */
    static void requireSame(Optional<String> connected, String netns, String container) {
        try {
            if (connected.isPresent() && !identity(Path.of(connected.get())).equals(identity(Path.of(netns)))) {
                throw new CniException(
                        CniErrorCode.INVALID_ENVIRONMENT,
                        "CNI_NETNS is " + netns + ", and container " + container + " is connected to network namespace "
                                + connected.get(),
                        "a container has one namespace: DEL it before it is added to another");
            }
        } catch (IOException e) {
            // one of them went away just now, and with it whatever was in it
            return;
        }
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        String known = e instanceof FileSystemException failed ? failed.getReason() : e.getMessage();
        return known == null ? e.getClass().getSimpleName() : known;
    }

    private static Map<String, Object> identity(Path path) throws IOException {
        return Files.readAttributes(path, "unix:dev,ino");
    }
}
