package io.enipam.pluginhost.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.concurrent.Stages;
import io.enipam.pluginhost.endpoint.EndpointServer.Counters;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.pluginhost.guard.PluginCallException;
import io.enipam.sdk.EndpointSpec;
import io.enipam.sdk.HttpEndpoint;
import io.enipam.sdk.HttpReply;
import io.enipam.sdk.HttpRequest;
import io.enipam.sdk.Peer;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufUtil;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.DuplexChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpDecoderConfig;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMessage;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObjectAggregator;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpServerCodec;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpUtil;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of an endpoint over HTTP. Runs on its event loop.
 *
 * <pre>
 * IDLE -> RECEIVING        the first byte of a request has come; IDLE ends after the idle time
 * RECEIVING -> SERVING     it has come in whole, within the deadline
 * SERVING -> IDLE          the answer is written, within the deadline; what came meanwhile waits its turn
 * any -> CLOSING           it is refused, or the client wants no more; what still comes is read and dropped for a moment, so that the
 *                          answer is not lost
 * </pre>
 */
final class HttpConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);
    private static final int LONGEST_LINE = 4_096;
    private static final int LONGEST_HEADERS = 16_384;
    private static final int MOST_PIPELINED = 16;
    private static final Duration LINGER = Duration.ofSeconds(2);

    private final Channel channel;
    private final Optional<Peer> peer;
    private final HttpEndpoint endpoint;
    private final GuardedCalls calls;
    private final EndpointSpec spec;
    private final Counters counters;
    private final Queue<FullHttpRequest> pipelined = new ArrayDeque<>();
    private State state = State.IDLE;
    private @Nullable Future<?> timer;

    private enum State {
        IDLE,
        RECEIVING,
        SERVING,
        CLOSING
    }

    HttpConnection(
            Channel channel,
            Optional<Peer> peer,
            HttpEndpoint endpoint,
            GuardedCalls calls,
            EndpointSpec spec,
            Counters counters) {
        this.channel = channel;
        this.peer = peer;
        this.endpoint = endpoint;
        this.calls = calls;
        this.spec = spec;
        this.counters = counters;
    }

    /** Takes requests from now on. */
    void begin() {
        channel.pipeline()
                .addLast(new FirstByte())
                .addLast(new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(LONGEST_LINE)
                        .setMaxHeaderSize(LONGEST_HEADERS)))
                .addLast(new Bodies(spec.limits().body()))
                .addLast(this);
        become(State.IDLE, spec.limits().idle());
        channel.closeFuture().addListener(closed -> closed());
    }

    /** Sees that a request begins, before there is any part of it to be decoded. */
    private final class FirstByte extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            if (state == State.IDLE) {
                become(State.RECEIVING, spec.limits().deadline());
            }
            context.fireChannelRead(bytes);
        }
    }

    /** Puts requests together, and refuses one that is too large. */
    private final class Bodies extends HttpObjectAggregator {
        Bodies(int most) {
            super(most);
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
            refuse(HttpReply.text(413, "a body of more than " + spec.limits().body() + " bytes is not taken\n"));
        }
    }

    private void become(State next, Duration within) {
        state = next;
        Optional.ofNullable(timer).ifPresent(running -> running.cancel(false));
        timer = channel.eventLoop().schedule(this::tooSlow, within.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void tooSlow() {
        if (state == State.RECEIVING) {
            refuse(HttpReply.text(
                    408, "the request did not come in within " + spec.limits().deadline() + "\n"));
        } else {
            channel.close();
        }
    }

    private void closed() {
        Optional.ofNullable(timer).ifPresent(running -> running.cancel(false));
        pipelined.forEach(FullHttpRequest::release);
        pipelined.clear();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        switch (state) {
            case CLOSING -> {}
            case SERVING -> {
                if (pipelined.size() == MOST_PIPELINED) {
                    refuse(HttpReply.text(
                            429, "more than " + MOST_PIPELINED + " requests without waiting for an answer\n"));
                } else {
                    pipelined.add(request.retain());
                }
            }
            case IDLE, RECEIVING -> serve(request);
        }
    }

    private void serve(FullHttpRequest request) {
        counters.requests.increment();
        if (request.decoderResult().isFailure()) {
            refuse(HttpReply.text(400, "this is no request, or its line or headers are too long\n"));
            return;
        }
        if (spec.socket().isEmpty() && !isLocal(request.headers().get(HttpHeaderNames.HOST, ""))) {
            refuse(HttpReply.text(403, "this port serves the host 127.0.0.1 alone\n"));
            return;
        }
        HttpRequest given;
        try {
            given = given(request);
        } catch (IllegalArgumentException e) {
            refuse(HttpReply.text(400, "the path is not well-formed\n"));
            return;
        }
        boolean keep = HttpUtil.isKeepAlive(request);
        // the call has a deadline of its own; a moment more for its answer to be written
        become(State.SERVING, spec.limits().deadline().multipliedBy(2));
        channel.config().setAutoRead(false);
        calls.later("serve", spec.limits().deadline(), () -> endpoint.serve(given))
                .handle((reply, failure) -> failure == null ? reply : failed(Stages.cause(failure)))
                .thenAccept(reply -> onLoop(() -> answer(reply, keep)));
    }

    /** A page of a browser could ask a port of the host by another name; a unix socket it cannot reach. */
    private static boolean isLocal(String host) {
        return host.isEmpty() || host.matches("(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?");
    }

    private HttpRequest given(FullHttpRequest request) {
        record Given(
                String method,
                String path,
                Map<String, List<String>> parameters,
                Map<String, List<String>> headers,
                byte[] bytes,
                Optional<Peer> peer)
                implements HttpRequest {
            @Override
            public byte[] body() {
                return bytes.clone();
            }
        }
        QueryStringDecoder target = new QueryStringDecoder(request.uri(), UTF_8);
        Map<String, List<String>> headers = new TreeMap<>();
        request.headers()
                .forEach(header -> headers.computeIfAbsent(
                                header.getKey().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                        .add(header.getValue()));
        headers.replaceAll((name, values) -> List.copyOf(values));
        return new Given(
                request.method().name(),
                target.path(),
                Map.copyOf(target.parameters()),
                Map.copyOf(headers),
                ByteBufUtil.getBytes(request.content()),
                peer);
    }

    private static HttpReply failed(Throwable cause) {
        int status = cause instanceof PluginCallException call
                ? switch (call.reason()) {
                    case LATE -> 504;
                    case REFUSED -> 503;
                    case THREW, REJECTED -> 500;
                }
                : 500;
        return HttpReply.text(status, cause.getMessage() + "\n");
    }

    private void onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the endpoint ended before it answered", e);
        }
    }

    private void answer(HttpReply reply, boolean keep) {
        if (state != State.SERVING) {
            return;
        }
        if (!keep) {
            closeAfter(reply);
            return;
        }
        become(State.SERVING, spec.limits().deadline());
        channel.writeAndFlush(response(reply, true)).addListener(written -> {
            if (!written.isSuccess()) {
                channel.close();
                return;
            }
            become(State.IDLE, spec.limits().idle());
            FullHttpRequest next = pipelined.poll();
            if (next == null) {
                channel.config().setAutoRead(true);
                return;
            }
            try {
                serve(next);
            } finally {
                next.release();
            }
        });
    }

    private void refuse(HttpReply reply) {
        counters.refused.increment();
        closeAfter(reply);
    }

    private void closeAfter(HttpReply reply) {
        become(State.CLOSING, spec.limits().deadline());
        channel.config().setAutoRead(true);
        channel.writeAndFlush(response(reply, false)).addListener(written -> {
            if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            }
            become(State.CLOSING, LINGER);
        });
    }

    private static FullHttpResponse response(HttpReply reply, boolean keep) {
        byte[] body = reply.body();
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), Unpooled.wrappedBuffer(body));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                .set(HttpHeaderNames.CONNECTION, keep ? "keep-alive" : "close")
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("x-content-type-options", "nosniff");
        return response;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("a client went away", cause);
        context.close();
    }
}
