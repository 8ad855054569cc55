package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * An answer, ready to send.
 *
 * @param status HTTP status
 * @param contentType with its charset
 * @param text the body
 * @param headers beside Content-Type
 */
public record FullReply(int status, String contentType, String text, Map<String, String> headers) implements HttpReply {
    /** An answer without headers of its own. */
    public FullReply(int status, String contentType, String text) {
        this(status, contentType, text, Map.of());
    }

    @Override
    public void send(HttpExchange exchange) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", contentType);
        headers.forEach(exchange.getResponseHeaders()::set);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head || body.length == 0 ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }
}
