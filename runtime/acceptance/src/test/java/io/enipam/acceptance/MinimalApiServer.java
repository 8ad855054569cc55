package io.enipam.acceptance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of an API server as a node asks for that has its pods' addresses from its CIDR: any node has one CIDR, and any pod runs.
 * Nothing ever happens in its watches.
 */
final class MinimalApiServer {
    static final int PORT = 6443;

    private static final Pattern NODE = Pattern.compile("/api/v1/nodes/([^/]+)");
    private static final Pattern POD = Pattern.compile("/api/v1/namespaces/([^/]+)/pods/([^/]+)");
    private static final String ABSENT =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}";

    private final String cidr;

    private MinimalApiServer(String cidr) {
        this.cidr = cidr;
    }

    /** Serves until the process is killed; prints "listening". */
    static void serve(String cidr) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), PORT), 0);
        server.createContext("/", new MinimalApiServer(cidr)::answer);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("listening");
    }

    private void answer(HttpExchange call) throws IOException {
        String path = call.getRequestURI().getPath();
        String query = String.valueOf(call.getRequestURI().getQuery());
        Matcher node = NODE.matcher(path);
        Matcher pod = POD.matcher(path);
        boolean reads = call.getRequestMethod().equals("GET");
        if (reads && query.contains("watch=true")) {
            call.getResponseHeaders().set("Content-Type", "application/json");
            call.sendResponseHeaders(200, 0);
            call.getResponseBody().flush();
            // the other end closes it
        } else if (reads && path.equals("/api/v1/pods")) {
            say(
                    call,
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
        } else if (reads && node.matches()) {
            say(
                    call,
                    200,
                    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + node.group(1)
                            + "\"},\"spec\":{\"podCIDR\":\"" + cidr + "\",\"podCIDRs\":[\"" + cidr + "\"]}}");
        } else if (reads && pod.matches()) {
            say(
                    call,
                    200,
                    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"" + pod.group(1)
                            + "\",\"name\":\"" + pod.group(2) + "\",\"uid\":\"uid-" + pod.group(2)
                            + "\",\"resourceVersion\":\"1\"},\"spec\":{\"containers\":[]},\"status\":{\"phase\":\"Pending\"}}");
        } else {
            say(call, 404, ABSENT);
        }
    }

    private static void say(HttpExchange call, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }
}
