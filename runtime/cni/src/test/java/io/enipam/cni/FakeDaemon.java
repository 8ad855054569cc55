package io.enipam.cni;

import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What listens where the daemon would, and does to each caller what a test says. */
final class FakeDaemon implements AutoCloseable {
    /** What it does to a caller; the connection is closed behind it. */
    interface Behavior {
        void serve(SocketChannel caller, FakeDaemon daemon) throws Exception;
    }

    private final ServerSocketChannel server;
    private final Path socket;
    private final BlockingQueue<byte[]> calls = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> trouble = new CompletableFuture<>();
    private final CountDownLatch over = new CountDownLatch(1);

    private FakeDaemon(Path socket, int backlog) throws IOException {
        this.socket = socket;
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket), backlog);
    }

    static FakeDaemon with(Path socket, Behavior manners) throws IOException {
        FakeDaemon daemon = new FakeDaemon(socket, 16);
        Thread thread = new Thread(() -> daemon.run(manners), "fake daemon");
        thread.setDaemon(true);
        thread.start();
        return daemon;
    }

    /** One that takes the whole call, and answers with these bytes, whatever they are. */
    static FakeDaemon saying(Path socket, byte[] answer) throws IOException {
        return with(socket, (caller, daemon) -> {
            daemon.take(caller);
            daemon.say(caller, answer);
        });
    }

    static FakeDaemon answering(Path socket, CniResponse answer) throws IOException {
        return saying(socket, frame(answer));
    }

    /** One at which nobody can connect any more, since as many wait as may. */
    static FakeDaemon full(Path socket) throws IOException {
        FakeDaemon daemon = new FakeDaemon(socket, 1);
        for (int i = 0; i < 8; i++) {
            SocketChannel waiting = SocketChannel.open(StandardProtocolFamily.UNIX);
            waiting.configureBlocking(false);
            try {
                waiting.connect(UnixDomainSocketAddress.of(socket));
            } catch (IOException full) {
                return daemon;
            }
        }
        throw new IllegalStateException("eight callers wait, and there is room for more");
    }

    static byte[] frame(CniResponse answer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameCodec.write(answer, new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private void run(Behavior manners) {
        try {
            while (true) {
                try (SocketChannel caller = server.accept()) {
                    manners.serve(caller, this);
                } catch (java.nio.channels.ClosedChannelException closed) {
                    return;
                } catch (IOException gone) {
                    // a caller that went away is a test's business, and seen there
                    continue;
                }
            }
        } catch (Exception e) {
            trouble.complete(e);
        }
    }

    /** Reads a call as it is on the wire. */
    void take(SocketChannel caller) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(caller));
        int length = in.readInt();
        calls.add(in.readNBytes(length));
    }

    void say(SocketChannel caller, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            caller.write(buffer);
        }
    }

    /** Waits until the test is over. */
    void hang() throws InterruptedException {
        over.await();
    }

    /** The next call, as it was on the wire, behind its length. */
    byte[] call() throws InterruptedException {
        byte[] call = calls.poll(60, TimeUnit.SECONDS);
        if (call == null) {
            throw new AssertionError("no call came", trouble.getNow(null));
        }
        return call;
    }

    /** The same, read. */
    CniRequest request() throws Exception {
        byte[] call = call();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeInt(call.length);
        bytes.write(call);
        return FrameCodec.readRequest(new DataInputStream(new java.io.ByteArrayInputStream(bytes.toByteArray())));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        over.countDown();
        server.close();
        java.nio.file.Files.deleteIfExists(socket);
    }
}
