package io.enipam.emulator.http;

import com.sun.net.httpserver.Headers;
import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 on a unix socket, which only the user of this process can connect to, from any network namespace. One request per
 * connection; its body is small, kept in memory, and needs a Content-Length. Connections are served by a bounded number of
 * threads; those beyond it, and those that last too long, are closed. Thread-safe.
 */
public final class UnixEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(UnixEndpoint.class);
    private static final int THREADS = 32;
    private static final long LONGEST_SECONDS = 30;
    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int MOST_BYTES = 1024 * 1024;

    private final Path path;
    private final ServerSocketChannel server;
    private final Function<HttpCall, FullReply> handler;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor threads;

    /** See {@link Endpoint#open}. A socket on which no process listens any more is replaced. */
    public UnixEndpoint(String name, Path path, Function<HttpCall, FullReply> handler) {
        this.path = path.toAbsolutePath();
        this.handler = handler;
        this.server = listen(this.path);
        this.threads = Endpoint.threads(name, THREADS + 1);
        threads.execute(this::accept);
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
                SocketChannel connection = server.accept();
                connections.add(connection);
                try {
                    threads.execute(() -> serve(connection));
                    CompletableFuture.delayedExecutor(LONGEST_SECONDS, TimeUnit.SECONDS)
                            .execute(() -> end(connection));
                } catch (RejectedExecutionException busy) {
                    end(connection);
                }
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.warn("a connection to {} could not be accepted: {}", path, e.toString());
                }
            }
        }
    }

    private void serve(SocketChannel connection) {
        try {
            HttpCall call = read(Channels.newInputStream(connection));
            FullReply reply = handler.apply(call);
            byte[] body =
                    call.method().equals("HEAD") ? new byte[0] : reply.text().getBytes(StandardCharsets.UTF_8);
            StringBuilder head = new StringBuilder("HTTP/1.1 " + reply.status() + " \r\nConnection: close\r\n");
            reply.headers().forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
            head.append("Content-Type: " + reply.contentType() + "\r\nContent-Length: " + body.length + "\r\n\r\n");
            OutputStream out = Channels.newOutputStream(connection);
            out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
        } catch (IOException | UncheckedIOException gone) {
            LOG.debug("the client went away or the server is closing: {}", gone.toString());
        } catch (RuntimeException bug) {
            LOG.error("a call on {} failed", path, bug);
        } finally {
            end(connection);
        }
    }

    /**
     * Reads a request. Throws IOException if the client sent none, or one that cannot be read; then the connection is
     * of no more use.
     */
    private static HttpCall read(InputStream in) throws IOException {
        String[] start = line(in).split(" ", -1);
        if (start.length != 3 || !start[2].startsWith("HTTP/1.")) {
            throw new IOException("no HTTP/1.1 request");
        }
        Headers headers = new Headers();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon <= 0 || headers.size() >= MOST_HEADERS) {
                throw new IOException("a header that cannot be read, or too many of them");
            }
            headers.add(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        try {
            return new HttpCall(start[0], new URI(start[1]).getPath(), headers, body(in, headers));
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new IOException("a request that cannot be read: " + e.getMessage(), e);
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the client ended within a line");
            }
            if (line.size() >= LONGEST_LINE) {
                throw new IOException("a line that is too long");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    private static InputStream body(InputStream in, Headers headers) throws IOException {
        String length = headers.getFirst("Content-Length");
        if (headers.containsKey("Transfer-Encoding")) {
            throw new IOException("a body without Content-Length");
        }
        int bytes = length == null ? 0 : Integer.parseInt(length);
        if (bytes < 0 || bytes > MOST_BYTES) {
            throw new IOException("a body of " + length + " bytes");
        }
        byte[] body = in.readNBytes(bytes);
        if (body.length < bytes) {
            throw new EOFException("the client ended within its body");
        }
        return new ByteArrayInputStream(body);
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
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("{} could not be removed: {}", path, e.toString());
        }
    }
}
