package io.enipam.platform.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file that leads a daemon to an API server. */
public final class Kubeconfig {
    private Kubeconfig() {}

    /**
     * Writes it.
     *
     * @param server base URL
     * @param token who the daemon says that it is
     * @return the file
     */
    public static Path write(Path file, String server, String token) throws IOException {
        return Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: test
                clusters: [{name: test, cluster: {server: "%s"}}]
                users: [{name: test, user: {token: "%s"}}]
                contexts: [{name: test, context: {cluster: test, user: test}}]
                """.formatted(server, token));
    }

    /** The same to a port of this machine, as a rule that of a line that can be cut. */
    public static Path write(Path file, int port, String token) throws IOException {
        return write(file, "http://127.0.0.1:" + port, token);
    }
}
