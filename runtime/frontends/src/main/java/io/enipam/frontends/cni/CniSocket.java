package io.enipam.frontends.cni;

import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.frontends.cni.CniConnection.AllowedPeers;
import io.enipam.frontends.cni.CniConnection.FrameMemoryLimiter;
import io.enipam.platform.ReportRateLimiter;
import io.enipam.platform.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
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
 * The socket on which the front passes on what a container runtime asks: one connection, one call, one answer.
 * Thread-safe.
 *
 * <p>A call has a thread for as long as it takes. There are as many as a node has pods, twice over: ADDs that wait for
 * an address must leave threads for the DELs that free one. A later caller waits to be accepted. A peer that sends half
 * a call, or does not read its answer, is cut off after ten seconds.
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
    private final CniConnection connection;
    private final ServerSocketChannel server;
    private final Semaphore room;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger threads = new AtomicInteger();

    /** One permit for each thread; a thread that has answered returns its permit before it is idle. */
    private final ExecutorService calls =
            new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(null, task, "cni-" + threads.incrementAndGet(), STACK_BYTES);
                thread.setDaemon(true);
                return thread;
            });

    private volatile boolean closed;

    private CniSocket(Path path, CniConnection connection, int most) throws IOException {
        this.path = path;
        this.connection = connection;
        this.room = new Semaphore(most);
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    /**
     * Binds the socket, mode 0600, and serves root and this process's own user.
     *
     * @param handler answers calls; called on many threads, and may be slow
     * @throws IOException if the socket cannot be made, or a live process serves it
     */
    public static CniSocket open(
            Path path, Function<CniRequest, CniResponse> handler, EventSink events, Scheduler scheduler)
            throws IOException {
        return open(path, AllowedPeers.rootAndSelf(), handler, events, scheduler, PEERS_PATIENCE, MOST_CALLS);
    }

    static CniSocket open(
            Path path,
            AllowedPeers peers,
            Function<CniRequest, CniResponse> handler,
            EventSink events,
            Scheduler scheduler,
            Duration patience,
            int most)
            throws IOException {
        SocketFile.removeStale(path);
        FrameMemoryLimiter memory = new FrameMemoryLimiter(3 * patience.toMillis());
        ReportRateLimiter<String> refusals = new ReportRateLimiter<>(CniConnection.REFUSALS_INTERVAL, System::nanoTime);
        CniSocket socket = new CniSocket(
                path, new CniConnection(peers, handler, events, scheduler, patience, memory, refusals), most);
        try {
            socket.server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            SocketFile.keepToOwner(path);
        } catch (IOException e) {
            socket.close();
            throw new IOException("the socket of the CNI cannot be made: " + path + ": " + e.getMessage(), e);
        }
        DaemonThreads.named("cni-accept").newThread(socket::accept).start();
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
                begin(server.accept());
            } catch (IOException e) {
                room.release();
                failed(e);
            }
        }
    }

    private void begin(SocketChannel peer) {
        connections.add(peer);
        try {
            calls.execute(() -> serve(peer));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // the daemon stops, or the machine has no more threads: later callers are served all the same
            over(peer);
            close(peer);
            failed(e);
        }
    }

    private void serve(SocketChannel peer) {
        try {
            connection.hold(peer);
        } finally {
            over(peer);
        }
    }

    private void over(SocketChannel peer) {
        connections.remove(peer);
        room.release();
    }

    private void failed(Throwable why) {
        if (!closed) {
            LOG.warn("a call of the CNI could not be accepted: {}", why.toString());
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    int busy() {
        return connections.size();
    }

    static void close(SocketChannel peer) {
        try {
            peer.close();
        } catch (IOException e) {
            LOG.debug("a connection of the CNI could not be closed: {}", e.toString());
        }
    }

    /** Takes no new call, gives those that run 5 s, then answers them that the daemon stops. Removes the socket. */
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
            long grace = Math.min(GRACE.toMillis(), connection.patience().toMillis());
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
