package io.enipam.shell.relay;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/**
 * One connection to the daemon, passed on. What one side does not take is not read from the other, so a slow reader holds up
 * whoever writes, and nothing is kept here but one buffer in each direction.
 *
 * <p>When stdin ends, the daemon is told that no more comes and may say what it still has to, for {@link #LAST_WORDS_MS}; when
 * the daemon ends, all is over.
 */
final class Relay {
    /** For how long the daemon may go on when there is nobody left who asks: a daemon that hangs shall not keep this process. */
    static final long LAST_WORDS_MS = 2_000;

    private static final int BUFFER = 64 << 10;

    private final SocketChannel daemon;

    private Relay(SocketChannel daemon) {
        this.daemon = daemon;
    }

    /** Connects to the daemon. */
    static Relay to(Path socket) throws IOException {
        return new Relay(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    /**
     * Passes on until the daemon ends, or until some time after {@code in} did.
     *
     * @param in read by a thread of its own, which is left behind if the daemon ends first
     * @throws IOException if the daemon's side broke; that nobody reads {@code out} any more is an end like any other
     */
    void run(ReadableByteChannel in, WritableByteChannel out) throws IOException {
        Asking asking = new Asking(in, daemon);
        asking.start();
        try {
            answer(out);
        } finally {
            daemon.close();
        }
    }

    private void answer(WritableByteChannel out) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        while (read(buffer) >= 0) {
            buffer.flip();
            try {
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
            } catch (IOException nobodyReads) {
                return;
            }
            buffer.clear();
        }
    }

    private int read(ByteBuffer buffer) throws IOException {
        try {
            return daemon.read(buffer);
        } catch (java.nio.channels.ClosedChannelException ended) {
            return -1; // the other thread has waited long enough
        }
    }

    /** What comes from stdin. */
    private static final class Asking extends Thread {
        private final ReadableByteChannel in;
        private final SocketChannel daemon;

        Asking(ReadableByteChannel in, SocketChannel daemon) {
            super("enipam-relay-in");
            this.in = in;
            this.daemon = daemon;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                ask();
                daemon.shutdownOutput();
                Thread.sleep(LAST_WORDS_MS);
            } catch (IOException | InterruptedException over) {
                // the daemon's end is seen by the one who reads from it
            }
            try {
                daemon.close();
            } catch (IOException gone) {
                return;
            }
        }

        private void ask() throws IOException {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            while (in.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    daemon.write(buffer);
                }
                buffer.clear();
            }
        }
    }
}
