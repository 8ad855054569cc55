package io.enipam.aliyun;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that speaks the cloud's protocol and fails as a test says: each failure serves one call, then calls work. What
 * the emulator lacks, this has: any code, a dropped connection, silence.
 */
public final class ScriptedCloud implements AutoCloseable {
    static {
        quick();
    }

    private static final Map<String, String> ANSWERS = Map.of(
            "CreateNetworkInterface",
            ",\"NetworkInterfaceId\":\"eni-1\",\"MacAddress\":\"m\",\"VSwitchId\":\"vsw-1\",\"PrivateIpAddress\":\"10.0.0.1\"",
            "AssignPrivateIpAddresses",
            ",\"AssignedPrivateIpAddressesSet\":{\"NetworkInterfaceId\":\"eni-1\",\"PrivateIpSet\":{"
                    + "\"PrivateIpAddress\":[\"10.0.0.2\"]}}",
            "DescribeNetworkInterfaces",
            ",\"NetworkInterfaceSets\":{\"NetworkInterfaceSet\":[]}",
            "DescribeInstanceTypes",
            ",\"InstanceTypes\":{\"InstanceType\":[{\"InstanceTypeId\":\"ecs.g7.large\",\"EniQuantity\":3,"
                    + "\"EniPrivateIpAddressQuantity\":6}]}",
            "DescribeInstances",
            ",\"Instances\":{\"Instance\":[{\"InstanceId\":\"i-1\",\"SecurityGroupIds\":{\"SecurityGroupId\":[\"sg-1\"]}}]}",
            "DescribeVSwitches",
            ",\"VSwitches\":{\"VSwitch\":[{\"VSwitchId\":\"vsw-1\",\"ZoneId\":\"z\",\"CidrBlock\":\"10.0.0.0/24\","
                    + "\"AvailableIpAddressCount\":9}]}");

    private final Deque<Failure> troubles = new ArrayDeque<>();
    private final List<Map<String, String>> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    private interface Failure {
        void befall(HttpExchange exchange) throws IOException;
    }

    public ScriptedCloud() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Spares each call the 40 ms that the JDK's server waits for its client's ACK otherwise. */
    public static void quick() {
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** The next call fails with this code. */
    public void fail(int status, String code) {
        trouble(exchange -> send(
                exchange,
                status,
                "{\"RequestId\":\"req-f\",\"HostId\":\"h\",\"Code\":\"" + code
                        + "\",\"Message\":\"as the test wants\"}"));
    }

    /** The next call gets no answer: its connection is closed. */
    public void hangUp() {
        trouble(HttpExchange::close);
    }

    /** The next call gets no answer, for as long as this server lives. */
    public void keepSilent() {
        trouble(exchange -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
    }

    private synchronized void trouble(Failure next) {
        troubles.add(next);
    }

    private synchronized Failure next(String action) {
        Failure next = troubles.poll();
        return next != null
                ? next
                : exchange -> send(exchange, 200, "{\"RequestId\":\"req-1\"" + ANSWERS.getOrDefault(action, "") + "}");
    }

    /** The parameters of each call, in order. */
    public List<Map<String, String>> calls() {
        return calls;
    }

    private void answer(HttpExchange exchange) throws IOException {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : exchange.getRequestURI().getRawQuery().split("&")) {
            String[] sides = pair.split("=", 2);
            parameters.put(
                    URLDecoder.decode(sides[0], StandardCharsets.UTF_8),
                    URLDecoder.decode(sides[1], StandardCharsets.UTF_8));
        }
        calls.add(parameters);
        next(parameters.getOrDefault("Action", "")).befall(exchange);
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json;charset=utf-8");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
