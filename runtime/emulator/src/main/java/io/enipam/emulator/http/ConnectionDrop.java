package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;

/** No answer: the connection is closed. */
public record ConnectionDrop() implements HttpReply {
    @Override
    public void send(HttpExchange exchange) {
        // the JDK's server closes the connection of an exchange that ends without headers
        exchange.close();
    }
}
