package io.enipam.observability.web;

import io.enipam.observability.web.Page.Response;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.SimpleChannelInboundHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.DuplexChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.FullHttpResponse;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaderNames;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpHeaders;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpMethod;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpObject;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpRequest;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpResponseStatus;
import io.grpc.netty.shaded.io.netty.handler.codec.http.HttpVersion;
import io.grpc.netty.shaded.io.netty.handler.codec.http.QueryStringDecoder;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: one request, one answer, then close. Thus no second request can be smuggled behind the first, and
 * requests with a body are refused. Runs on its connection's event loop.
 */
final class RequestHandler extends SimpleChannelInboundHandler<HttpObject> {
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
