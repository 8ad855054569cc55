package io.enipam.bench.process;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An API server of one node with so many pods: it lists them, and its watch tells nothing new. Thread-safe. */
final class PodApi implements AutoCloseable {
    private static final Pattern POD = Pattern.compile("/api/v1/namespaces/bench/pods/pod-(\\d+)");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final AtomicLong podRequests = new AtomicLong();
    private final int pods;
    private final Duration latency;

    /** @param latency how long each answer takes */
    PodApi(int pods, Duration latency) throws IOException {
        this.pods = pods;
        this.latency = latency;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** The UID of a pod, which is called {@code pod-} and its number. */
    static String uid(int number) {
        return String.format(Locale.ROOT, "%08d-0000-0000-0000-000000000000", number);
    }

    /** How many requests there were for pods, watches included. */
    long podRequests() {
        return podRequests.get();
    }

    /** The settings of a daemon of its node; the directory gets a kubeconfig. */
    String settings(Path directory) throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), kubeconfig());
        return "node: {name: bench}\nkubernetes: {use: 'on', requests_per_second: 1000, kubeconfig: \"" + kubeconfig
                + "\"}\n";
    }

    private String kubeconfig() {
        return """
                apiVersion: v1
                kind: Config
                clusters: [{name: here, cluster: {server: "http://127.0.0.1:PORT"}}]
                users: [{name: node, user: {token: "none"}}]
                contexts: [{name: here, context: {cluster: here, user: node}}]
                current-context: here
                """.replace("PORT", Integer.toString(server.getAddress().getPort()));
    }

    private void answer(HttpExchange call) throws IOException {
        String path = call.getRequestURI().getPath();
        boolean watch = String.valueOf(call.getRequestURI().getQuery()).contains("watch=true");
        Matcher pod = POD.matcher(path);
        if (path.contains("/pods")) {
            podRequests.incrementAndGet();
        }
        LockSupport.parkNanos(latency.toNanos());
        if (watch) {
            call.getResponseHeaders().set("Content-Type", "application/json");
            call.sendResponseHeaders(200, 0);
            call.getResponseBody().flush();
            // the other end closes it
        } else if (path.equals("/api/v1/pods")) {
            say(
                    call,
                    200,
                    IntStream.range(0, pods)
                            .mapToObj(PodApi::pod)
                            .collect(Collectors.joining(
                                    ",",
                                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[",
                                    "]}")));
        } else if (pod.matches()) {
            say(call, 200, pod(Integer.parseInt(pod.group(1))));
        } else if (path.equals("/api/v1/nodes/bench")) {
            say(call, 200, "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"bench\"},\"spec\":{}}");
        } else {
            say(
                    call,
                    404,
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}");
        }
    }

    /** As long as a usual one. */
    private static String pod(int number) {
        String volumes = IntStream.range(0, 4)
                .mapToObj(i -> "{\"name\":\"volume-" + i + "\",\"configMap\":{\"name\":\"config-of-the-application-" + i
                        + "\",\"defaultMode\":420}}")
                .collect(Collectors.joining(","));
        String environment = IntStream.range(0, 20)
                .mapToObj(
                        i -> "{\"name\":\"VARIABLE_" + i + "\",\"value\":\"the value of a variable of the container\"}")
                .collect(Collectors.joining(","));
        return "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"bench\",\"name\":\"pod-"
                + number
                + "\",\"uid\":\"" + uid(number)
                + "\",\"resourceVersion\":\"1\","
                + "\"labels\":{\"app\":\"bench\",\"pod-template-hash\":\"5d4f8c7b9\"}},\"spec\":{\"nodeName\":\"bench\","
                + "\"volumes\":[" + volumes
                + "],\"containers\":[{\"name\":\"application\",\"image\":\"registry/app:1\","
                + "\"env\":[" + environment + "]}]},\"status\":{\"phase\":\"Running\"}}";
    }

    private static void say(HttpExchange call, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
