package io.enipam.pluginhost.endpoint;

import io.enipam.engine.port.TimeSource;
import io.enipam.platform.SocketFile;
import io.enipam.pluginhost.endpoint.Endpoints.Counts;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.Endpoint;
import io.enipam.sdk.EndpointSpec;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.HttpEndpoint;
import io.enipam.sdk.Peer;
import io.enipam.sdk.StreamEndpoint;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.group.ChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.group.DefaultChannelGroup;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.channel.unix.PeerCredentials;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket, and its connections: one thread reads and writes for all of them. Thread-safe.
 *
 * <p>A unix socket is bound under another name in its directory, gets its mode and group there, and is then moved to its path: at no
 * moment can a user connect who may not, and a client that finds the path finds a server. The end removes the path only if it is
 * still this socket's.
 */
final class EndpointServer {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointServer.class);
    private static final int BACKLOG = 128;
    private static final int RECEIVE_BUFFER = 256 << 10;

    private final EndpointSpec spec;
    private final EventLoopGroup io;
    private final ChannelGroup connections;
    private final Counters counters = new Counters();
    private final Channel channel;
    private final Optional<Object> fileKey;

    /** Counts. Thread-safe. */
    static final class Counters {
        final LongAdder accepted = new LongAdder();
        /** Connections beyond the limit, and requests that are none, too large or too slow. */
        final LongAdder refused = new LongAdder();

        final LongAdder requests = new LongAdder();
    }

    private EndpointServer(
            EndpointSpec spec,
            EventLoopGroup io,
            ServerBootstrap bootstrap,
            RunningPart part,
            Endpoint endpoint,
            TimeSource time)
            throws IOException {
        this.spec = spec;
        this.io = io;
        this.connections = new DefaultChannelGroup(io.next());
        bootstrap.childHandler(new Newcomers(part, endpoint, time));
        if (spec.socket().isEmpty()) {
            this.channel = bound(bootstrap, new InetSocketAddress(InetAddress.getByName("127.0.0.1"), spec.port()));
            this.fileKey = Optional.empty();
            return;
        }
        Path path = spec.socket().get();
        Path under = path.resolveSibling("." + Long.toHexString(System.identityHashCode(this) & 0xfffffL | 0x100000L));
        this.channel = bound(bootstrap, new DomainSocketAddress(under.toFile()));
        try {
            if (spec.group().isPresent()) {
                SocketFile.restrict(under, spec.group().get());
            } else {
                SocketFile.keepToOwner(under);
            }
            Files.move(under, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        this.fileKey = keyOf(path);
    }

    /**
     * Begins to serve.
     *
     * @throws FactoryException if the address is taken, or the socket cannot be made
     */
    static EndpointServer open(RunningPart part, Endpoint endpoint, TimeSource time) {
        EndpointSpec spec = endpoint.endpoint();
        if (!(endpoint instanceof HttpEndpoint) && !(endpoint instanceof StreamEndpoint)) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    "it is neither an HttpEndpoint nor a StreamEndpoint, so nothing is served");
        }
        EventLoopGroup io = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("endpoint-" + part.name(), true), EpollIoHandler.newFactory());
        try {
            if (spec.socket().isPresent()) {
                Files.createDirectories(spec.socket().get().getParent());
                SocketFile.removeStale(spec.socket().get());
            }
            ServerBootstrap bootstrap = new ServerBootstrap()
                    .group(io)
                    .channel(
                            spec.socket().isPresent()
                                    ? EpollServerDomainSocketChannel.class
                                    : EpollServerSocketChannel.class)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG);
            if (endpoint instanceof StreamEndpoint) {
                bootstrap
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.RECVBUF_ALLOCATOR, StreamConnection.READS);
                if (spec.socket().isEmpty()) {
                    bootstrap.childOption(ChannelOption.SO_RCVBUF, RECEIVE_BUFFER);
                }
            }
            return new EndpointServer(spec, io, bootstrap, part, endpoint, time);
        } catch (IOException e) {
            stop(io);
            throw new FactoryException(ErrorKind.UNAVAILABLE, told(spec, e), e);
        } catch (RuntimeException e) {
            stop(io);
            throw e;
        }
    }

    private static String told(EndpointSpec spec, IOException e) {
        String why = String.valueOf(e.getMessage());
        String address = spec.socket().map(Path::toString).orElse("127.0.0.1:" + spec.port());
        return why.contains(address) ? why : "cannot listen on " + address + ": " + why;
    }

    private static Channel bound(ServerBootstrap bootstrap, SocketAddress address) throws IOException {
        // not sync(), which throws checked exceptions that the compiler does not see
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        return bound.channel();
    }

    private static void stop(EventLoopGroup io) {
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private static Optional<Object> keyOf(Path path) throws IOException {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                ? Optional.ofNullable(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey())
                : Optional.empty();
    }

    /** Where it listens, with the actual port. */
    String address() {
        return spec.socket()
                .map(path -> "unix:" + path)
                .orElseGet(() -> "127.0.0.1:"
                        + (channel.localAddress() instanceof InetSocketAddress bound ? bound.getPort() : spec.port()));
    }

    Counts counts() {
        return new Counts(
                spec.limits().connections(),
                connections.size(),
                counters.accepted.sum(),
                counters.refused.sum(),
                counters.requests.sum());
    }

    /** Accepts no more, closes all connections, and removes the socket's file. Returns at once; completes when that is done. */
    CompletableFuture<Void> end() {
        removeFile();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        channel.close()
                .addListener(closed -> connections
                        .close()
                        .addListener(all -> io.shutdownGracefully(0, 1, TimeUnit.SECONDS)
                                .addListener(stopped -> ended.complete(null))));
        return ended;
    }

    private void removeFile() {
        spec.socket().ifPresent(path -> {
            try {
                if (fileKey.isPresent() && fileKey.equals(keyOf(path))) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException e) {
                LOG.warn("the socket {} cannot be removed: {}", path, e.toString());
            }
        });
    }

    /** Takes a connection, or refuses it. On the thread of this server. */
    private final class Newcomers extends ChannelInitializer<Channel> {
        private final RunningPart part;
        private final Endpoint endpoint;
        private final TimeSource time;

        Newcomers(RunningPart part, Endpoint endpoint, TimeSource time) {
            this.part = part;
            this.endpoint = endpoint;
            this.time = time;
        }

        @Override
        protected void initChannel(Channel newcomer) throws IOException {
            if (connections.size() >= spec.limits().connections()) {
                counters.refused.increment();
                newcomer.close();
                return;
            }
            connections.add(newcomer);
            counters.accepted.increment();
            Optional<Peer> peer = peerOf(newcomer);
            if (endpoint instanceof HttpEndpoint http) {
                new HttpConnection(newcomer, peer, http, part.calls(), spec, counters).begin();
            } else if (endpoint instanceof StreamEndpoint stream) {
                counters.requests.increment();
                new StreamConnection(newcomer, peer, spec.limits(), time).begin(stream, part.calls());
            }
        }
    }

    private static Optional<Peer> peerOf(Channel channel) throws IOException {
        if (!(channel instanceof EpollDomainSocketChannel unix)) {
            return Optional.empty();
        }
        PeerCredentials known = unix.peerCredentials();
        int[] groups = known.gids();
        return Optional.of(new Peer(known.uid(), groups.length == 0 ? -1 : groups[0], known.pid()));
    }
}
