package io.enipam.bench.cni;

import io.enipam.cni.CniResponse;
import io.enipam.cni.FrameCodec;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Answers each call with one result, and does nothing for it. */
final class StubDaemon implements AutoCloseable {
    private static final byte[] RESULT =
            ("{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"eth0\",\"sandbox\":\"/var/run/netns/a\"}],"
                            + "\"ips\":[{\"address\":\"10.0.0.5/24\",\"gateway\":\"10.0.0.253\",\"interface\":0}],\"dns\":{}}")
                    .getBytes(StandardCharsets.UTF_8);

    private final ServerSocketChannel server;

    StubDaemon(Path socket) throws IOException {
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread thread = new Thread(this::serve, "daemon");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve() {
        while (true) {
            try (SocketChannel caller = server.accept()) {
                FrameCodec.readRequest(new DataInputStream(Channels.newInputStream(caller)));
                FrameCodec.write(
                        new CniResponse(0, RESULT, new byte[0]),
                        new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(caller))));
            } catch (ClosedChannelException over) {
                return;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
