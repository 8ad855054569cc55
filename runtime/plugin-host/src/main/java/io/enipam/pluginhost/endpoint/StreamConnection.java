package io.enipam.pluginhost.endpoint;

import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.sdk.Connection;
import io.enipam.sdk.EndpointSpec.Limits;
import io.enipam.sdk.Peer;
import io.enipam.sdk.StreamEndpoint;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.RecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.socket.ChannelInputShutdownEvent;
import io.grpc.netty.shaded.io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * One connection of an endpoint over streams. The channel reads only when the plugin does, and the plugin's thread waits
 * for it; a write is out before the next one begins. So a connection holds what one read brings ({@link #READS}), and one write.
 * Thread-safe; {@code this} guards what has come in.
 */
final class StreamConnection extends ChannelInboundHandlerAdapter implements Connection {
    private static final int LARGEST_WRITE = 64 << 10;
    private static final int CHUNK = 16 << 10;

    /** More than the kernel buffers for a socket. */
    private static final int MOST_READ = 1 << 20;

    /**
     * A read brings what the kernel has, up to a mebibyte. It must bring all of it once the client sends no more: a channel whose
     * end was seen, and that reads nothing at the moment, is in no set of epoll any more, and cannot be read again.
     */
    static final RecvByteBufAllocator READS = new DefaultMaxMessagesRecvByteBufAllocator() {
        @Override
        public Handle newHandle() {
            return new MaxMessageHandle() {
                @Override
                public int guess() {
                    return CHUNK;
                }

                @Override
                public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
                    return totalBytesRead() < MOST_READ && maybeMore.get();
                }
            };
        }
    };

    private final Channel channel;
    private final Optional<Peer> peer;
    private final Limits limits;
    private final TimeSource time;
    private final Queue<ByteBuf> chunks = new ArrayDeque<>();
    private boolean ended;

    StreamConnection(Channel channel, Optional<Peer> peer, Limits limits, TimeSource time) {
        this.channel = channel;
        this.peer = peer;
        this.limits = limits;
        this.time = time;
    }

    /** Has the plugin serve it, on a thread of its own. */
    void begin(StreamEndpoint endpoint, GuardedCalls calls) {
        channel.pipeline().addLast(this);
        Thread serving = calls.unbounded("serve", () -> {
            try {
                endpoint.serve(this);
            } catch (IOException e) {
                // the client went away, or was too slow
            } finally {
                channel.close();
            }
        });
        channel.closeFuture().addListener(closed -> {
            end();
            serving.interrupt();
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf chunk = (ByteBuf) message;
        synchronized (this) {
            if (!ended && chunk.isReadable()) {
                chunks.add(chunk);
                notifyAll();
                return;
            }
        }
        chunk.release();
    }

    /** The client sends no more; it may wait for an answer. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            synchronized (this) {
                ended = true;
                notifyAll();
            }
        }
    }

    private synchronized void end() {
        ended = true;
        chunks.forEach(ByteBuf::release);
        chunks.clear();
        notifyAll();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    @Override
    public Optional<Peer> peer() {
        return peer;
    }

    @Override
    public InputStream input() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return length == 0 ? 0 : take(into, offset, length);
            }
        };
    }

    /** On the event loop, which alone ends the input: a channel that was told its end must not be read again. */
    private synchronized void readMore() {
        if (!ended && chunks.isEmpty()) {
            channel.read();
        }
    }

    private synchronized int take(byte[] into, int offset, int length) throws IOException {
        long until = time.nanoTime() + limits.idle().toNanos();
        while (chunks.isEmpty() && !ended) {
            channel.eventLoop().execute(this::readMore);
            long left = until - time.nanoTime();
            if (left <= 0) {
                throw new SocketTimeoutException("nothing came within " + limits.idle());
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
        ByteBuf chunk = chunks.peek();
        if (chunk == null) {
            return -1;
        }
        int taken = Math.min(length, chunk.readableBytes());
        chunk.readBytes(into, offset, taken);
        if (!chunk.isReadable()) {
            chunks.remove().release();
        }
        return taken;
    }

    @Override
    public OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                put(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                for (int at = 0; at < length; at += LARGEST_WRITE) {
                    put(bytes, offset + at, Math.min(LARGEST_WRITE, length - at));
                }
            }
        };
    }

    private void put(byte[] bytes, int offset, int length) throws IOException {
        var written = channel.writeAndFlush(Unpooled.copiedBuffer(bytes, offset, length));
        try {
            if (!written.await(limits.deadline().toMillis())) {
                channel.close();
                throw new SocketTimeoutException("the client did not read within " + limits.deadline());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
        if (!written.isSuccess()) {
            throw new IOException("the client is gone", written.cause());
        }
    }
}
