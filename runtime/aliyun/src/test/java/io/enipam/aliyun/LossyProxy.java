package io.enipam.aliyun;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Stands between a client and the emulator, passes each call on, and loses some of the answers: the work is done, and nobody
 * hears of it.
 */
public final class LossyProxy implements AutoCloseable {
    static {
        ScriptedCloud.quick();
    }

    private final URI cloud;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, AtomicInteger> toLose = new ConcurrentHashMap<>();
    private final List<Map<String, String>> calls = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    public LossyProxy(URI cloud) throws IOException {
        this.cloud = cloud;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Loses the answers of the next calls of an action. */
    public void loseAnswersOf(String action, int count) {
        toLose.put(action, new AtomicInteger(count));
    }

    /** The parameters of the calls of an action, in order. */
    public List<Map<String, String>> calls(String action) {
        return calls.stream().filter(call -> action.equals(call.get("Action"))).toList();
    }

    private void pass(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getRawQuery();
        Map<String, String> parameters = Arrays.stream(query.split("&"))
                .map(pair -> pair.split("=", 2))
                .collect(Collectors.toMap(sides -> decoded(sides[0]), sides -> decoded(sides[1])));
        calls.add(parameters);
        HttpResponse<byte[]> answer;
        try {
            answer = http.send(
                    HttpRequest.newBuilder(URI.create(cloud + "/?" + query))
                            .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            exchange.close();
            return;
        }
        AtomicInteger losses = toLose.get(parameters.get("Action"));
        if (losses == null || losses.getAndDecrement() <= 0) {
            answer.headers()
                    .firstValue("Content-Type")
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
        }
        exchange.close();
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
