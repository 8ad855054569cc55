package io.enipam.pluginhost.endpoint;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A connection as a test makes it; blocks. */
final class Client implements AutoCloseable {
    private final SocketChannel channel;
    private final InputStream in;
    private final OutputStream out;

    private Client(SocketChannel channel) {
        this.channel = channel;
        this.in = Channels.newInputStream(channel);
        this.out = Channels.newOutputStream(channel);
    }

    static Client of(Path socket) throws IOException {
        return connected(SocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(socket));
    }

    static Client of(int port) throws IOException {
        return connected(SocketChannel.open(), new InetSocketAddress("127.0.0.1", port));
    }

    private static Client connected(SocketChannel channel, SocketAddress address) throws IOException {
        channel.connect(address);
        return new Client(channel);
    }

    Client send(String text) throws IOException {
        out.write(text.getBytes(UTF_8));
        return this;
    }

    Client sendNoMore() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    /** A request as libnetwork makes it: its Host is empty. */
    Client post(String path, String body) throws IOException {
        return send("POST " + path + " HTTP/1.1\r\nHost: \r\nContent-Length: " + body.getBytes(UTF_8).length
                + "\r\n\r\n" + body);
    }

    /** Status and body of the next answer. */
    String answer() throws IOException {
        String head = "";
        while (!head.endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended behind '" + head + "'");
            }
            head += (char) next;
        }
        int length = Integer.parseInt(head.replaceAll("(?is).*content-length: ([0-9]+).*", "$1"));
        return head.substring(9, 12) + " " + new String(in.readNBytes(length), UTF_8);
    }

    /** All that comes until the other side closes. */
    String rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (IOException e) {
            // it was reset, which is an end, too
            return all.toString(ISO_8859_1);
        }
        return all.toString(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
