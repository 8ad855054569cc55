package io.enipam.frontends.terway;

import io.enipam.frontends.grpc.UnixServer;
import io.enipam.platform.SocketFile;
import io.grpc.ServerInterceptors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The socket that terway's CNI plugin calls, for root and the daemon's user alone. */
public final class TerwaySocket implements AutoCloseable {
    private final UnixServer server;

    private TerwaySocket(UnixServer server) {
        this.server = server;
    }

    /**
     * Binds the socket, mode 0600, and serves. A directory that is missing is made.
     *
     * @throws IOException if the socket cannot be made, or a live process serves it: terway's own daemon, as a rule
     */
    public static TerwaySocket open(Path path, int ownUid, TerwayContext desk) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        UnixServer server = UnixServer.open(
                path,
                "terway",
                builder -> builder.addService(
                        ServerInterceptors.intercept(new TerwayBackendService(desk), new RootOnlyInterceptor(ownUid))));
        try {
            // the mode keeps others out of the file; the peer's user id is what counts
            SocketFile.keepToOwner(path);
            return new TerwaySocket(server);
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
