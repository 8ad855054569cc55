package io.enipam.shell.relay;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * {@code enipam relay [--socket PATH]}: stdin and stdout become a connection to the daemon's socket, byte for byte. What
 * one side does not take is not read from the other, and nothing is kept here but one buffer in each direction.
 *
 * <p>Exit status: 0 one side ended; 1 the daemon's side broke; 2 usage; 3 there is no daemon to connect to. Everything
 * but 0 comes with one line on stderr.
 */
public final class RelayMain {
    static final int DONE = 0;
    static final int BROKEN = 1;
    static final int USAGE = 2;
    static final int NOT_CONNECTED = 3;

    private static final String DEFAULT = "/var/run/enipam/enipam.sock";
    private static final int BUFFER = 64 << 10;

    /** For how long the daemon may go on when stdin has ended: a daemon that hangs shall not keep this process. */
    private static final long LAST_WORDS_MS = 2_000;

    private RelayMain() {}

    @SuppressWarnings("SystemExitOutsideMain")
    public static void main(String[] args) {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            told(System.err, BROKEN, "this is a bug of the relay: " + e);
            Runtime.getRuntime().halt(BROKEN);
        });
        // past System.in and System.out, whose encoders and buffers take their time and are of no use here
        int status = run(
                args,
                new FileInputStream(FileDescriptor.in).getChannel(),
                new FileOutputStream(FileDescriptor.out).getChannel(),
                System.err);
        // the thread at stdin may wait there for ever
        Runtime.getRuntime().halt(status);
    }

    /** The program but for the process; returns the exit status. */
    public static int run(String[] args, ReadableByteChannel in, WritableByteChannel out, PrintStream err) {
        String socket = DEFAULT;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--socket") && i + 1 < args.length) {
                socket = args[++i];
            } else if (args[i].startsWith("--socket=")) {
                socket = args[i].substring("--socket=".length());
            } else {
                return told(err, USAGE, "'" + args[i] + "' is not known. It is: enipam relay [--socket PATH]");
            }
        }
        SocketChannel daemon;
        try {
            daemon = SocketChannel.open(UnixDomainSocketAddress.of(Path.of(socket)));
        } catch (IOException | InvalidPathException e) {
            return told(err, NOT_CONNECTED, why(socket, e));
        }
        try (daemon) {
            new Asking(in, daemon).start();
            answer(daemon, out);
            return DONE;
        } catch (IOException e) {
            return told(err, BROKEN, "the connection to " + socket + " broke: " + e.getMessage());
        }
    }

    private static String why(String socket, Exception e) {
        if (e instanceof AccessDeniedException || String.valueOf(e.getMessage()).contains("ermission denied")) {
            return "permission denied on " + socket + ". Let the container run enipam as the daemon's user";
        }
        if (!Files.exists(Path.of(socket))) {
            return "there is no socket " + socket
                    + ". Is enipamd running, and does it listen there? Name its socket with --socket PATH";
        }
        if (e instanceof ConnectException) {
            return "nobody listens on " + socket + ". The daemon that made it is gone: look at its log";
        }
        return socket + " cannot be connected to: " + e.getMessage();
    }

    private static int told(PrintStream err, int status, String line) {
        err.println("enipam relay: " + line);
        err.flush();
        return status;
    }

    /** Passes on until the daemon ends; throws if its side broke. A reader that went away is an end. */
    private static void answer(SocketChannel daemon, WritableByteChannel out) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        while (read(daemon, buffer) >= 0) {
            buffer.flip();
            try {
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
            } catch (IOException readerGone) {
                return;
            }
            buffer.clear();
        }
    }

    private static int read(SocketChannel daemon, ByteBuffer buffer) throws IOException {
        try {
            return daemon.read(buffer);
        } catch (ClosedChannelException ended) {
            return -1; // the other thread has waited long enough
        }
    }

    /** What comes from stdin. When that ends, it closes the daemon's input, and in a while the connection. */
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
                // the reading thread notices that the daemon has ended
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
