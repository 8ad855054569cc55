package io.enipam.sdk;

import java.util.concurrent.CompletionStage;

/**
 * Serves HTTP/1.1. Requests of one connection are served one after the other.
 *
 * <pre>{@code
 * public CompletionStage<HttpReply> serve(HttpRequest request) {
 *     return switch (request.path()) {
 *         case "/Plugin.Activate" -> completedStage(HttpReply.json("{\"Implements\":[\"IpamDriver\"]}"));
 *         case "/IpamDriver.RequestPool" -> pool(request.text()).thenApply(HttpReply::json);
 *         default -> completedStage(HttpReply.text(404, "there is no " + request.path()));
 *     };
 * }
 * }</pre>
 */
public interface HttpEndpoint extends Endpoint {
    /**
     * Answers a request. Must complete within the limits' deadline; the client gets status 504 after that, 500 with the message where it
     * fails, and 503 while the host does not call the plugin.
     */
    CompletionStage<HttpReply> serve(HttpRequest request);
}
