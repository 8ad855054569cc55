package io.enipam.emulator.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
     * An answer of the API, which is written when it is sent; a caller of this process needs no text.
     *
     * @param root what the format calls it, where it has names for roots
     * @param content without the id of the request, which comes first; two answers may have the same one, which must not be changed
     */
    record ApiReply(int status, WireFormat format, String root, String requestId, ObjectNode content)
            implements HttpReply {
        public FullReply written() {
            ObjectNode body = content.objectNode();
            body.put("RequestId", requestId);
            body.setAll(content);
            return new FullReply(status, format.contentType(), format.write(root, body));
        }

        @Override
        public void send(HttpExchange exchange) throws IOException {
            written().send(exchange);
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
