package io.enipam.shell.fleet;

import io.enipam.shell.attach.DaemonRoute;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.PrivateDirectory;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.attach.SocketPath;
import io.enipam.shell.core.Interrupts;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A socket here that leads to a node's daemon; each connection has its own relay in the pod of then. Thread-safe. */
public final class NodeRoute implements DaemonRoute, AutoCloseable {
    private static final int BUFFER = 64 << 10;
    private static final AtomicLong NAMES = new AtomicLong();

    private final Cluster cluster;
    private final String node;
    private final String caller;
    private final Path socket;
    private final ServerSocketChannel server;
    /** A pod that was looked up already, for the first connection. */
    private final AtomicReference<@Nullable DaemonPod> known;

    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private volatile @Nullable ShellException trouble;

    /** Begins to listen; asks the cluster for nothing before a connect, and then for the pod unless it is known. */
    public NodeRoute(
            Cluster cluster, PrivateDirectory directory, String node, String caller, Optional<DaemonPod> known) {
        this.cluster = cluster;
        this.node = node;
        this.caller = caller;
        // short, as a socket's path has to be
        this.socket = directory.path().resolve("n" + NAMES.incrementAndGet());
        this.known = new AtomicReference<>(known.orElse(null));
        SocketPath.requireShort(socket);
        try {
            this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            String why = "no socket can be made at " + socket + " (" + e + ")";
            throw ShellException.unattached(why, "Set TMPDIR to a directory that can be written", e);
        }
        start("accept", this::accept);
    }

    private void start(String what, Runnable work) {
        Interrupts.daemonThreads("enipam-" + what + "-" + node).newThread(work).start();
    }

    @Override
    public Path socket() {
        return socket;
    }

    @Override
    public String name() {
        return "node " + node;
    }

    @Override
    public String caller() {
        return caller;
    }

    @Override
    public Optional<ShellException> diagnose() {
        return Optional.ofNullable(trouble);
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel here = server.accept();
                open.add(here);
                start("relay", () -> serve(here));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void serve(SocketChannel here) {
        try {
            DaemonPod pod = known.getAndSet(null);
            DeadConnectionDetector silence = new DeadConnectionDetector();
            PodExec tunnel = cluster.dial(pod == null ? cluster.daemonOn(node) : pod, new Answers(here, silence));
            try {
                pump(here, tunnel, silence);
            } finally {
                tunnel.close();
            }
        } catch (IOException over) {
            // the end was reported with its reason to the reader
        } catch (RuntimeException e) {
            trouble = ShellException.of(e);
        } finally {
            hangUp(here);
        }
    }

    private void pump(SocketChannel here, PodExec tunnel, DeadConnectionDetector silence) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        while (here.read(buffer) >= 0) {
            if (silence.isTimedOut(System.nanoTime())) {
                throw new ShellException(
                        ExitStatus.NOT_ATTACHED,
                        "UNAVAILABLE",
                        "nothing came from node " + node + " for a while, and it was asked more than once",
                        "Is the network there? The next command connects anew");
            }
            buffer.flip();
            silence.recordSent(System.nanoTime());
            tunnel.send(buffer);
            buffer.clear();
        }
    }

    private void hangUp(SocketChannel here) {
        open.remove(here);
        try {
            here.close();
        } catch (IOException gone) {
            return;
        }
    }

    /** What the relay writes goes to the local client. */
    private final class Answers implements PodExec.Receiver {
        private final SocketChannel here;
        private final DeadConnectionDetector silence;

        Answers(SocketChannel here, DeadConnectionDetector silence) {
            this.here = here;
            this.silence = silence;
        }

        @Override
        public void received(ByteBuffer bytes) throws IOException {
            trouble = null;
            silence.recordReceived();
            while (bytes.hasRemaining()) {
                here.write(bytes);
            }
        }

        @Override
        public void ended(Optional<ShellException> why) {
            why.ifPresent(e -> trouble = e);
            hangUp(here);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(socket);
        } catch (IOException gone) {
            // the directory is removed as a whole
        }
        open.forEach(this::hangUp);
    }

    /**
     * Notices a connection that is dead without having broken, for which TCP takes a quarter of an hour: a message that
     * is repeated and unanswered for long proves it, since the daemon answers its state at once. Thread-safe.
     */
    static final class DeadConnectionDetector {
        /** What is sent so soon after something belongs to it. */
        private static final long TOGETHER = Duration.ofSeconds(1).toNanos();

        static final Duration ENOUGH = Duration.ofSeconds(15);

        private boolean asked;
        private boolean again;
        private long first;
        private long second;

        synchronized void recordSent(long nanos) {
            if (!asked) {
                asked = true;
                first = nanos;
            } else if (!again && nanos - first > TOGETHER) {
                again = true;
                second = nanos;
            }
        }

        synchronized void recordReceived() {
            asked = false;
            again = false;
        }

        synchronized boolean isTimedOut(long nanos) {
            return again && nanos - second > ENOUGH.toNanos();
        }
    }
}
