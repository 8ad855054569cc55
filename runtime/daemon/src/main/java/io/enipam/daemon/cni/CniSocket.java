package io.enipam.daemon.cni;

import io.enipam.cni.CniAnswer;
import io.enipam.cni.CniRequest;
import io.enipam.cni.Frames;
import io.enipam.daemon.cni.spec.CniCode;
import io.enipam.daemon.cni.spec.CniException;
import io.enipam.daemon.cni.spec.ResultWriter;
import io.enipam.daemon.cni.spec.SpecVersion;
import io.enipam.daemon.platform.SocketFile;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket on which the front passes on what a container runtime asks: one connection, one call, one answer. Thread-safe.
 *
 * <p>A call has a thread for as long as it takes. There are as many as a node has pods, twice over: ADDs that wait for an address
 * must leave room for the DELs that bring one. Whoever comes then waits to be accepted. A peer that sends half a call, or does not
 * read its answer, is cut off after ten seconds.
 */
public final class CniSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CniSocket.class);

    /** Twice what the largest node runs. */
    private static final int MOST_CALLS = 512;

    private static final int BACKLOG = 512;
    private static final long PAUSE_NANOS = 100_000_000;
    private static final long STACK_BYTES = 512 << 10;
    private static final Duration PEERS_PATIENCE = Duration.ofSeconds(10);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final Path path;
    private final Peers peers;
    private final Function<CniRequest, CniAnswer> desk;
    private final EventSink events;
    private final Scheduler scheduler;
    private final Duration patience;
    private final ServerSocketChannel server;
    private final FrameMemory memory;
    private final Semaphore room = new Semaphore(MOST_CALLS);
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger threads = new AtomicInteger();
    private final ExecutorService calls =
            new ThreadPoolExecutor(0, MOST_CALLS, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(null, task, "cni-" + threads.incrementAndGet(), STACK_BYTES);
                thread.setDaemon(true);
                return thread;
            });
    private volatile boolean closed;

    private CniSocket(
            Path path,
            Peers peers,
            Function<CniRequest, CniAnswer> desk,
            EventSink events,
            Scheduler scheduler,
            Duration patience)
            throws IOException {
        this.path = path;
        this.peers = peers;
        this.desk = desk;
        this.events = events;
        this.scheduler = scheduler;
        this.patience = patience;
        this.memory = new FrameMemory(patience.toMillis());
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /**
     * Binds the socket, mode 0600, and serves root and this process's own user.
     *
     * @param desk answers calls; called on many threads, and may take its time
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static CniSocket open(Path path, Function<CniRequest, CniAnswer> desk, EventSink events, Scheduler scheduler)
            throws IOException {
        return open(path, Peers.rootAndSelf(), desk, events, scheduler, PEERS_PATIENCE);
    }

    static CniSocket open(
            Path path,
            Peers peers,
            Function<CniRequest, CniAnswer> desk,
            EventSink events,
            Scheduler scheduler,
            Duration patience)
            throws IOException {
        SocketFile.makeRoom(path);
        CniSocket socket = new CniSocket(path, peers, desk, events, scheduler, patience);
        try {
            socket.server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            SocketFile.keepToOwner(path);
        } catch (IOException e) {
            socket.close();
            throw new IOException("the socket of the CNI cannot be made: " + path + ": " + e.getMessage(), e);
        }
        Thread accept = new Thread(socket::accept, "cni-accept");
        accept.setDaemon(true);
        accept.start();
        return socket;
    }

    private void accept() {
        while (!closed) {
            try {
                room.acquire();
            } catch (InterruptedException e) {
                return;
            }
            try {
                SocketChannel peer = server.accept();
                connections.add(peer);
                begin(peer);
            } catch (IOException e) {
                room.release();
                if (!closed) {
                    LOG.warn("a call of the CNI could not be accepted: {}", e.toString());
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    private void begin(SocketChannel peer) {
        try {
            calls.execute(() -> serve(peer));
        } catch (RejectedExecutionException e) {
            LOG.debug("a call of the CNI came when the daemon stopped", e);
            connections.remove(peer);
            close(peer);
        }
    }

    private void serve(SocketChannel peer) {
        try (peer;
                FrameMemory.Share share = memory.share()) {
            CniAnswer answer = answer(peer, share);
            within(
                    peer,
                    () -> Frames.write(
                            answer, new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(peer)))));
        } catch (EOFException e) {
            LOG.debug("a peer of the CNI went away before its call was whole");
        } catch (IOException e) {
            LOG.debug("an answer of the CNI could not be delivered: {}", e.toString());
        } finally {
            connections.remove(peer);
            room.release();
        }
    }

    private CniAnswer answer(SocketChannel peer, FrameMemory.Share share) throws IOException {
        String stranger = peers.refused(peer);
        if (!stranger.isEmpty()) {
            events.warning("CniPeerRefused", "cni", "user " + stranger + " may not call the CNI: root alone may");
            return error(105, "user " + stranger + " may not call the CNI here", "the runtime calls it as root");
        }
        CniRequest[] request = new CniRequest[1];
        try {
            within(
                    peer,
                    () -> request[0] = Frames.readRequest(
                            new DataInputStream(new BufferedInputStream(Channels.newInputStream(peer))), share));
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            return error(CniCode.IO_FAILURE, "the call could not be read: " + e.getMessage(), "");
        }
        return desk.apply(request[0]);
    }

    private static CniAnswer error(int code, String message, String details) {
        return new CniAnswer(
                1, ResultWriter.error(SpecVersion.LATEST, new CniException(code, message, details)), new byte[0]);
    }

    /** A transfer that takes too long is ended by closing its channel. */
    private void within(SocketChannel peer, Transfer transfer) throws IOException {
        Scheduler.Cancellable end = scheduler.after(patience, () -> {
            LOG.debug("a peer of the CNI took more than {} ms for a frame", patience.toMillis());
            close(peer);
        });
        try {
            transfer.run();
        } finally {
            end.cancel();
        }
    }

    @FunctionalInterface
    private interface Transfer {
        void run() throws IOException;
    }

    /** How many calls are under way. */
    int busy() {
        return connections.size();
    }

    private static void close(SocketChannel peer) {
        try {
            peer.close();
        } catch (IOException e) {
            LOG.debug("a connection of the CNI could not be closed: {}", e.toString());
        }
    }

    /** Takes no new call, gives those that run 5 s, then answers them that the daemon stops. The socket's file goes with it. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        server.close();
        Files.deleteIfExists(path);
        calls.shutdown();
        try {
            long grace = Math.min(GRACE.toMillis(), patience.toMillis());
            if (!calls.awaitTermination(grace, TimeUnit.MILLISECONDS)) {
                calls.shutdownNow();
                if (!calls.awaitTermination(1, TimeUnit.SECONDS)) {
                    connections.forEach(CniSocket::close);
                }
            }
        } catch (InterruptedException e) {
            calls.shutdownNow();
            connections.forEach(CniSocket::close);
            Thread.currentThread().interrupt();
        }
    }
}
