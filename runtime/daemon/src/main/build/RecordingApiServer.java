import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executors;

/**
 * An API server as far as a daemon calls one at its start, so that the run that lists classes for the archive loads those of
 * the Kubernetes client, too: every pod and node that is asked for exists, and a watch delivers one change.
 *
 * <p>enipam-archive runs it as a source file. Argument: where the kubeconfig goes once it answers. Ends when its stdin does.
 */
final class RecordingApiServer {
    private RecordingApiServer() {}

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", RecordingApiServer::answer);
        server.start();
        Path file = Path.of(args[0]);
        Path draft = Files.writeString(
                file.resolveSibling(file.getFileName() + ".new"),
                """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: c, context: {cluster: c, user: u}}]
                current-context: c
                """
                        .formatted(server.getAddress().getPort()));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        while (System.in.read() >= 0) {
            // until the caller ends
        }
        System.exit(0);
    }

    private static void answer(HttpExchange call) throws IOException {
        String path = call.getRequestURI().getPath();
        String name = path.substring(path.lastIndexOf('/') + 1);
        call.getResponseHeaders().set("Content-Type", "application/json");
        if (String.valueOf(call.getRequestURI().getQuery()).contains("watch=true")) {
            call.sendResponseHeaders(200, 0);
            call.getResponseBody()
                    .write(("{\"type\":\"MODIFIED\",\"object\":" + pod("web-0", 2) + "}\n")
                            .getBytes(StandardCharsets.UTF_8));
            call.getResponseBody().flush(); // the client closes it
        } else if (name.equals("pods")) {
            say(
                    call,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                            + pod("web-0", 1) + "]}");
        } else if (path.contains("/pods/")) {
            say(call, pod(name, 1));
        } else if (path.contains("/nodes/")) {
            say(
                    call,
                    "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{},"
                            + "\"status\":{\"nodeInfo\":{\"bootID\":\"b\"}}}");
        } else {
            call.getRequestBody().readAllBytes();
            say(call, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}");
        }
    }

    private static String pod(String name, int version) {
        return """
                {"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":"%s","uid":"u-%s",\
                "resourceVersion":"%d","labels":{"app":"web"},"annotations":{"a":"b"},"ownerReferences":[{"apiVersion":\
                "apps/v1","kind":"StatefulSet","name":"web","uid":"s","controller":true}]},"spec":{"nodeName":"n",\
                "containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":\
                "Running","podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}],"containerStatuses":[{"name":"c",\
                "state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}}"""
                .formatted(name, name, version);
    }

    private static void say(HttpExchange call, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        call.sendResponseHeaders(200, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }
}
