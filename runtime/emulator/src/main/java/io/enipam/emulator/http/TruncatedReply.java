package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The first part of an answer, after which the connection is closed.
 *
 * @param whole what would have been sent
 * @param characters how many of its body are
 * @param honestLength whether Content-Length is that of the whole body; otherwise that of the part
 */
public record TruncatedReply(FullReply whole, int characters, boolean honestLength) implements HttpReply {
    @Override
    public void send(HttpExchange exchange) throws IOException {
        byte[] part = whole.text().substring(0, characters).getBytes(StandardCharsets.UTF_8);
        int length = honestLength ? whole.text().getBytes(StandardCharsets.UTF_8).length : part.length;
        exchange.getResponseHeaders().set("Content-Type", whole.contentType());
        whole.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(whole.status(), length == 0 ? -1 : length);
        if (part.length > 0) {
            exchange.getResponseBody().write(part);
            exchange.getResponseBody().flush();
        }
        exchange.close();
    }
}
