package io.enipam.examples.swarm.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Reads of Docker's HTTP API on its unix socket, which the JDK's HTTP client does not speak: one request of HTTP/1.0 a connection, so that
 * an answer ends where the connection does.
 *
 * @param socket such as {@code /run/docker.sock}
 */
record DockerApi(Path socket) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGEST = 16 << 20;
    private static final int AT_ONCE = 64 << 10;
    private static final long PATIENCE_MILLIS = 2_000;

    /** @throws IOException if it does not answer 200 and JSON within two seconds */
    JsonNode get(String path) throws IOException {
        String request = "GET " + path + " HTTP/1.0\r\nHost: docker\r\n\r\n";
        String answer;
        try {
            answer = exchange(StandardCharsets.US_ASCII.encode(request));
        } catch (IOException e) {
            throw new IOException("dockerd does not answer on " + socket + ": " + e.getMessage(), e);
        }
        int body = answer.indexOf("\r\n\r\n");
        if (body < 0 || !answer.substring(0, body).matches("(?s)HTTP/1\\.[01] 200 .*")) {
            throw new IOException("dockerd on " + socket + " answers GET " + path + " with "
                    + answer.lines().findFirst().orElse("nothing"));
        }
        return JSON.readTree(answer.substring(body));
    }

    private String exchange(ByteBuffer request) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                Selector selector = Selector.open()) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer some = ByteBuffer.allocate(AT_ONCE);
            while (true) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0 || selector.select(left) == 0) {
                    throw new IOException("not within " + PATIENCE_MILLIS + " ms");
                }
                selector.selectedKeys().clear();
                if (request.hasRemaining()) {
                    channel.write(request);
                    key.interestOps(request.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
                    continue;
                }
                int read = channel.read(some.clear());
                if (read < 0) {
                    return answer.toString(StandardCharsets.UTF_8);
                }
                answer.write(some.array(), 0, read);
                if (answer.size() > LARGEST) {
                    throw new IOException("more than " + LARGEST + " bytes");
                }
            }
        }
    }
}
