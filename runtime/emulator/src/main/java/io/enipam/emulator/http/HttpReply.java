package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a caller gets, if anything. */
public sealed interface HttpReply {
    void send(HttpExchange exchange) throws IOException;

    /** An answer, ready to send; it has these headers beside Content-Type. */
    record FullReply(int status, String contentType, String text, Map<String, String> headers) implements HttpReply {
        public FullReply(int status, String contentType, String text) {
            this(status, contentType, text, Map.of());
        }

        @Override
        public void send(HttpExchange exchange) throws IOException {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            send(exchange, body, body.length);
        }

        private void send(HttpExchange exchange, byte[] body, int length) throws IOException {
            exchange.getResponseHeaders().set("Content-Type", contentType);
            headers.forEach(exchange.getResponseHeaders()::set);
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(status, head || length == 0 ? -1 : length);
            if (!head && body.length > 0) {
                exchange.getResponseBody().write(body);
                exchange.getResponseBody().flush();
            }
            exchange.close();
        }
    }

    /**
     * The first characters of an answer, after which the connection is closed. If {@code honestLength}, Content-Length
     * is that of the whole body, otherwise that of the part.
     */
    record TruncatedReply(FullReply whole, int characters, boolean honestLength) implements HttpReply {
        @Override
        public void send(HttpExchange exchange) throws IOException {
            byte[] part = whole.text().substring(0, characters).getBytes(StandardCharsets.UTF_8);
            int length = honestLength ? whole.text().getBytes(StandardCharsets.UTF_8).length : part.length;
            exchange.getResponseHeaders().set("Connection", "close");
            whole.send(exchange, part, length);
        }
    }

    /** No answer: the connection is closed. */
    record ConnectionDrop() implements HttpReply {
        @Override
        public void send(HttpExchange exchange) {
            // the JDK's server closes the connection of an exchange that ends without headers
            exchange.close();
        }
    }
}
