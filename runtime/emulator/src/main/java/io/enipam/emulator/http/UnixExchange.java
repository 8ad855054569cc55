package io.enipam.emulator.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * One request on a connection of a {@link UnixEndpoint}, and its answer, which is sent when the exchange is closed. The bodies
 * are small and kept in memory; a body needs a Content-Length. Not thread-safe.
 */
final class UnixExchange extends HttpExchange {
    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int MOST_BYTES = 1024 * 1024;
    /** What a handler may ask for; a unix socket has neither. */
    private static final InetSocketAddress NOWHERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final String method;
    private final URI uri;
    private final Headers requestHeaders;
    private final Headers responseHeaders = new Headers();
    private final OutputStream out;
    private final InputStream body;
    private final ByteArrayOutputStream response = new ByteArrayOutputStream();
    private int status = -1;
    private boolean closed;

    private UnixExchange(String method, URI uri, Headers requestHeaders, byte[] body, OutputStream out) {
        this.method = method;
        this.uri = uri;
        this.requestHeaders = requestHeaders;
        this.body = new ByteArrayInputStream(body);
        this.out = out;
    }

    /**
     * Reads a request.
     *
     * @throws IOException if the client sent none, or one that cannot be read; then the connection is of no more use
     */
    static UnixExchange read(SocketChannel connection) throws IOException {
        InputStream in = Channels.newInputStream(connection);
        String[] words = line(in).split(" ", -1);
        if (words.length != 3 || !words[2].startsWith("HTTP/1.")) {
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
            return new UnixExchange(
                    words[0], new URI(words[1]), headers, body(in, headers), Channels.newOutputStream(connection));
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

    private static byte[] body(InputStream in, Headers headers) throws IOException {
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
        return body;
    }

    @Override
    public Headers getRequestHeaders() {
        return requestHeaders;
    }

    @Override
    public Headers getResponseHeaders() {
        return responseHeaders;
    }

    @Override
    public URI getRequestURI() {
        return uri;
    }

    @Override
    public String getRequestMethod() {
        return method;
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("a unix socket has no contexts");
    }

    /** Sends the answer, if the handler gave one. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (status < 0) {
            return;
        }
        byte[] bytes = response.toByteArray();
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " \r\nConnection: close\r\n");
        responseHeaders.forEach((name, values) -> values.forEach(
                value -> head.append(name).append(": ").append(value).append("\r\n")));
        head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
        try {
            out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(bytes);
            out.flush();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    @Override
    public InputStream getRequestBody() {
        return body;
    }

    @Override
    public OutputStream getResponseBody() {
        return response;
    }

    @Override
    public void sendResponseHeaders(int code, long length) {
        status = code;
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return NOWHERE;
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return NOWHERE;
    }

    @Override
    public String getProtocol() {
        return "HTTP/1.1";
    }

    @Override
    public Object getAttribute(String name) {
        throw new UnsupportedOperationException("a unix socket has no attributes");
    }

    @Override
    public void setAttribute(String name, Object value) {
        throw new UnsupportedOperationException("a unix socket has no attributes");
    }

    @Override
    public void setStreams(InputStream in, OutputStream toClient) {
        throw new UnsupportedOperationException("a unix socket has no filters");
    }

    @Override
    public HttpPrincipal getPrincipal() {
        throw new UnsupportedOperationException("a unix socket has no users");
    }
}
