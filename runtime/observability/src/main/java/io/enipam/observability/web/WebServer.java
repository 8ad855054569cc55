package io.enipam.observability.web;

import io.grpc.netty.shaded.io.netty.bootstrap.ServerBootstrap;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelInitializer;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The site on a port: one thread for all connections, however slow. Thread-safe. */
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
     * @throws IOException if the port is taken, or the address is not of this host
     */
    static WebServer open(InetSocketAddress address, Site site, Limits limits) throws IOException {
        EventLoopGroup io = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("web-io", true), EpollIoHandler.newFactory());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(io)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new Newcomers(site, limits));
        // not sync(), which throws what the compiler does not know of
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            io.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        return new WebServer(io, bound.channel());
    }

    /** Where it serves, with the port that was free if any would do. */
    InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        io.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** Lets a connection in, or not. */
    private static final class Newcomers extends ChannelInitializer<Channel> {
        private final Site site;
        private final Limits limits;
        private final Guests guests;

        private Newcomers(Site site, Limits limits) {
            this.site = site;
            this.limits = limits;
            this.guests = new Guests(limits.connections());
        }

        @Override
        protected void initChannel(Channel channel) {
            guests.comes(channel);
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
                    .addLast(new Conversation(site, () -> guests.asked(channel)));
        }
    }
}
