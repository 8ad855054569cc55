package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.cloud.EmulatorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 on a unix socket, which only the user of this process can connect to, from any network namespace. One request per
 * connection. Connections are served by a bounded number of threads; those beyond it, and those that last too long, are closed.
 * Thread-safe.
 */
public final class UnixEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(UnixEndpoint.class);
    private static final int THREADS = 32;
    private static final long LONGEST_SECONDS = 30;

    private final Path path;
    private final ServerSocketChannel server;
    private final Function<HttpExchange, ? extends HttpReply> handler;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor threads;
    private final ScheduledExecutorService timer;

    /**
     * Listens. A socket on which no process listens any more is replaced.
     *
     * @param name of its threads
     * @param handler answers calls; if it throws, the connection is closed
     * @throws EmulatorException if the path is not free
     */
    public UnixEndpoint(String name, Path path, Function<HttpExchange, ? extends HttpReply> handler) {
        this.path = path.toAbsolutePath();
        this.handler = handler;
        this.server = listen(this.path);
        this.threads = new ThreadPoolExecutor(
                0, THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> daemon(name, task));
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> daemon(name + "-timer", task));
        daemon(name + "-accept", this::accept).start();
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static ServerSocketChannel listen(Path path) {
        ServerSocketChannel server = null;
        try {
            Files.createDirectories(path.resolveSibling("."));
            removeAbandoned(path);
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            return server;
        } catch (IOException | UnsupportedOperationException e) {
            if (server != null) {
                closeQuietly(server);
            }
            throw new EmulatorException(
                    "cannot listen on unix:" + path + ": " + e.getMessage() + "; choose another path", e);
        }
    }

    /** A socket that refuses a connection belongs to a process that has ended. All else is left alone, and the bind fails. */
    private static void removeAbandoned(Path path) throws IOException {
        if (!Files.exists(path)
                || !Files.readAttributes(path, BasicFileAttributes.class).isOther()) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            throw new IOException("another process listens there (" + probe.getRemoteAddress() + ")");
        } catch (ConnectException refused) {
            Files.delete(path);
        }
    }

    @Override
    public UnixDomainSocketAddress address() {
        return UnixDomainSocketAddress.of(path);
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                begin(server.accept());
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.warn("a connection to {} could not be accepted: {}", path, e.toString());
                }
            }
        }
    }

    private void begin(SocketChannel connection) {
        connections.add(connection);
        try {
            threads.execute(() -> serve(connection));
            timer.schedule(() -> end(connection), LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException busy) {
            end(connection);
        }
    }

    private void serve(SocketChannel connection) {
        try {
            UnixExchange exchange = UnixExchange.read(connection);
            handler.apply(exchange).send(exchange);
        } catch (IOException | UncheckedIOException gone) {
            LOG.debug("the client went away or the server is closing: {}", gone.toString());
        } catch (RuntimeException bug) {
            LOG.error("a call on {} failed", path, bug);
        } finally {
            end(connection);
        }
    }

    private void end(SocketChannel connection) {
        connections.remove(connection);
        closeQuietly(connection);
    }

    private static void closeQuietly(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a channel failed, and nothing more can be done: {}", e.toString());
        }
    }

    /** Closes the socket and all connections, and removes the file. */
    @Override
    public void close() {
        if (!server.isOpen()) {
            return;
        }
        closeQuietly(server);
        connections.forEach(this::end);
        threads.shutdownNow();
        timer.shutdownNow();
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("{} could not be removed: {}", path, e.toString());
        }
    }
}
