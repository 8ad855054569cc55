package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;

/** What a caller gets, if anything. */
public sealed interface HttpReply permits FullReply, TruncatedReply, ConnectionDrop {
    /** Sends it and ends the exchange. */
    void send(HttpExchange exchange) throws IOException;
}
