package io.enipam.observability.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.observability.web.Page.Response;
import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.DuplexChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The site on a port: one thread for all connections, even slow ones. Thread-safe. */
final class WebServer implements AutoCloseable {
    private static final int BACKLOG = 64;

    private final EventLoopGroup io;
    private final Channel channel;

    private WebServer(EventLoopGroup io, Channel channel) {
        this.io = io;
        this.channel = channel;
    }

    /**
     * Begins to serve; blocks for milliseconds.
     *
     * @throws IOException if the port is taken, or the address does not belong to this host
     */
    static WebServer open(InetSocketAddress address, Site site, Limits limits) throws IOException {
        EventLoopGroup io = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("web-io", true), EpollIoHandler.newFactory());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(io)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new Newcomers(site, limits));
        // not sync(), which throws checked exceptions that the compiler does not see
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            io.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        return new WebServer(io, bound.channel());
    }

    /** The address it serves, with the actual port for port 0. */
    InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** Accepts or refuses a connection. */
    private static final class Newcomers extends ChannelInitializer<Channel> {
        private final Site site;
        private final Limits limits;
        private final ConnectionLimiter limiter;

        private Newcomers(Site site, Limits limits) {
            this.site = site;
            this.limits = limits;
            this.limiter = new ConnectionLimiter(limits.connections());
        }

        @Override
        protected void initChannel(Channel channel) {
            limiter.admit(channel);
            if (!channel.isOpen()) {
                return;
            }
            var end = channel.eventLoop()
                    .schedule(() -> channel.close(), limits.whole().toMillis(), TimeUnit.MILLISECONDS);
            channel.closeFuture().addListener(closed -> end.cancel(false));
            channel.pipeline()
                    .addLast(new HttpServerCodec(new HttpDecoderConfig()
                            .setMaxInitialLineLength(limits.line())
                            .setMaxHeaderSize(limits.headers())))
                    .addLast(new RequestHandler(site, () -> limiter.asked(channel)));
        }
    }

    /**
     * Limits for clients.
     *
     * @param connections the most open connections; a further one closes the oldest without a request
     * @param whole the longest lifetime of a connection
     * @param line the longest request line, in characters
     * @param headers the longest total of all headers, in characters
     */
    record Limits(int connections, Duration whole, int line, int headers) {
        static Limits usual() {
            return new Limits(32, Duration.ofSeconds(15), 2_048, 8_192);
        }
    }

    /** The open connections. Beyond the limit the oldest without a request is closed. Thread-safe. */
    static final class ConnectionLimiter {
        private final int most;

        @GuardedBy("this")
        private final Set<Channel> all = new LinkedHashSet<>();

        /** In order of arrival. */
        @GuardedBy("this")
        private final Set<Channel> silent = new LinkedHashSet<>();

        ConnectionLimiter(int most) {
            this.most = most;
        }

        /**
         * Accepts a connection, and closes one beyond the limit: the new one itself if all others have sent a request.
         */
        void admit(Channel channel) {
            enter(channel).ifPresent(Channel::close);
            channel.closeFuture().addListener(closed -> leave(channel));
        }

        /** A connection's request was read: it stays open until the answer or the end of its lifetime. */
        synchronized void asked(Channel channel) {
            silent.remove(channel);
        }

        private synchronized Optional<Channel> enter(Channel channel) {
            all.add(channel);
            silent.add(channel);
            if (all.size() <= most) {
                return Optional.empty();
            }
            Channel oldest = silent.iterator().next();
            silent.remove(oldest);
            all.remove(oldest);
            return Optional.of(oldest);
        }

        private synchronized void leave(Channel channel) {
            all.remove(channel);
            silent.remove(channel);
        }
    }

    /**
     * One connection: one request, one answer, then close. Thus no second request can be smuggled behind the first, and
     * requests with a body are refused. Runs on its connection's event loop.
     */
    static final class RequestHandler extends SimpleChannelInboundHandler<HttpObject> {
        private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);
        /** A client that still sends would lose the answer if the connection were closed at once. */
        private static final long LINGER_MILLIS = 500;

        private final Site site;
        private final Runnable told;
        private boolean asked;

        /** @param told called when a request was read */
        RequestHandler(Site site, Runnable told) {
            this.site = site;
            this.told = told;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (asked || !(part instanceof HttpRequest request)) {
                // the rest of a request that is already being answered
                return;
            }
            asked = true;
            told.run();
            Channel channel = context.channel();
            if (request.decoderResult().isFailure()) {
                answer(channel, Response.text(400, "this is no request, or it is too long\n"));
                return;
            }
            if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
                answer(channel, Response.text(405, "GET and HEAD are served\n"));
                return;
            }
            if (hasBody(request.headers())) {
                answer(channel, Response.text(400, "a request has no body here\n"));
                return;
            }
            ask(channel, request);
        }

        private void ask(Channel channel, HttpRequest request) {
            QueryStringDecoder target = new QueryStringDecoder(request.uri(), true);
            String path;
            boolean verbose;
            try {
                path = target.path();
                verbose = target.parameters().containsKey("verbose");
            } catch (IllegalArgumentException e) {
                answer(channel, Response.text(400, "the path is not well-formed\n"));
                return;
            }
            String accept = request.headers().get(HttpHeaderNames.ACCEPT, "");
            site.ask(path, new Page.Asked(verbose, accept), answer -> later(channel, answer));
        }

        private static void later(Channel channel, Response answer) {
            try {
                channel.eventLoop().execute(() -> answer(channel, answer));
            } catch (RejectedExecutionException stopping) {
                LOG.debug("the daemon ended before it answered", stopping);
            }
        }

        private static boolean hasBody(HttpHeaders headers) {
            return headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
                    || headers.getAll(HttpHeaderNames.CONTENT_LENGTH).stream().anyMatch(length -> !length.equals("0"));
        }

        private static void answer(Channel channel, Response answer) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1,
                    HttpResponseStatus.valueOf(answer.status()),
                    Unpooled.wrappedBuffer(answer.body()));
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
                    .set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length)
                    .set(HttpHeaderNames.CONNECTION, "close")
                    .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                    .set("x-content-type-options", "nosniff");
            if (answer.status() == 405) {
                response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
            }
            channel.writeAndFlush(response).addListener(written -> {
                if (channel instanceof DuplexChannel duplex) {
                    duplex.shutdownOutput();
                }
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.debug("a client went away", cause);
            context.close();
        }
    }
}
