package io.enipam.kubernetes.testing;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * What an API server does for somebody who goes into pods: it lists nodes and pods page by page, and runs commands in them over a
 * WebSocket of {@code v4.channel.k8s.io}, as a kubelet would. Real HTTP on a port of this machine; no object is kept but those a
 * test puts here.
 */
public final class ExecServer implements AutoCloseable {
    /** What a container runs; the exit status of it. */
    @FunctionalInterface
    public interface Program {
        int run(List<String> words, ReadableByteChannel in, WritableByteChannel out, PrintStream err) throws Exception;
    }

    private static final String TOKEN = "t0ken-of-alice";
    private static final String NAMESPACE = "kube-system";
    private static final int PAGE = 100;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "kubelet");
        thread.setDaemon(true);
        return thread;
    });
    private final SortedMap<String, JsonObject> nodes = new ConcurrentSkipListMap<>();
    private final SortedMap<String, JsonObject> pods = new ConcurrentSkipListMap<>();
    private final Map<String, Program> programs = new ConcurrentSkipListMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile BiFunction<String, String, Integer> refusal = (verb, object) -> 0;

    public ExecServer() {
        server = vertx.createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setMaxWebSocketFrameSize(1 << 20)
                        .setMaxWebSocketMessageSize(1 << 20)
                        .setWebSocketSubProtocols(List.of("v4.channel.k8s.io")))
                .requestHandler(this::answer)
                .listen(0)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    /** Where it listens. */
    public int port() {
        return server.actualPort();
    }

    /** Writes a kubeconfig with the contexts {@code fleet}, which is current, and {@code elsewhere}, where nobody listens. */
    public Path kubeconfig(Path directory) throws IOException {
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: fleet
                clusters:
                - {name: here, cluster: {server: "http://127.0.0.1:%d"}}
                - {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
                users:
                - {name: alice, user: {token: %s}}
                - {name: mallory, user: {token: wrong}}
                contexts:
                - {name: fleet, context: {cluster: here, user: alice}}
                - {name: elsewhere, context: {cluster: nowhere, user: alice}}
                - {name: stranger, context: {cluster: here, user: mallory}}
                """.formatted(port(), TOKEN));
    }

    public ExecServer node(String name, Map<String, Object> labels) {
        nodes.put(
                name,
                new JsonObject()
                        .put("metadata", new JsonObject().put("name", name).put("labels", new JsonObject(labels))));
        return this;
    }

    /** A node with a daemon's pod that runs and is ready. */
    public ExecServer daemon(String node, Program program) {
        node(node, Map.of());
        return pod("enipam-" + node, node, "2026-11-21T00:00:00Z", "running", program);
    }

    /**
     * A daemon's pod.
     *
     * @param state {@code running}, {@code unready}, {@code leaving} or the reason for which it waits
     */
    public ExecServer pod(String name, String node, String created, String state, Program program) {
        boolean runs = List.of("running", "unready", "leaving").contains(state);
        JsonObject metadata = new JsonObject()
                .put("name", name)
                .put("namespace", NAMESPACE)
                .put("creationTimestamp", created)
                .put(
                        "labels",
                        new JsonObject()
                                .put("app.kubernetes.io/name", "enipam")
                                .put("app.kubernetes.io/component", "daemon"));
        if (state.equals("leaving")) {
            metadata.put("deletionTimestamp", "2026-11-21T00:10:00Z");
        }
        JsonObject container = runs
                ? new JsonObject().put("running", new JsonObject().put("startedAt", created))
                : new JsonObject()
                        .put(
                                "waiting",
                                new JsonObject().put("reason", state).put("message", "back-off 5m0s restarting"));
        pods.put(
                name,
                new JsonObject()
                        .put("metadata", metadata)
                        .put(
                                "spec",
                                new JsonObject()
                                        .put("nodeName", node)
                                        .put(
                                                "containers",
                                                new JsonArray().add(new JsonObject().put("name", "enipamd"))))
                        .put(
                                "status",
                                new JsonObject()
                                        .put("phase", runs ? "Running" : "Pending")
                                        .put(
                                                "containerStatuses",
                                                new JsonArray()
                                                        .add(new JsonObject()
                                                                .put("name", "enipamd")
                                                                .put("ready", state.equals("running"))
                                                                .put("state", container)))));
        programs.put(name, program);
        return this;
    }

    /** Forgets all that it was told. */
    public void clear() {
        nodes.clear();
        pods.clear();
        programs.clear();
        requests.clear();
        refusal = (verb, object) -> 0;
    }

    /** The pod is gone, and what runs in it goes on: as the kubelet is the last to know. */
    public void remove(String pod) {
        pods.remove(pod);
    }

    /** @param status for a verb, such as {@code list} or {@code exec}, and an object: the HTTP status, or 0 to answer */
    public void refuse(BiFunction<String, String, Integer> status) {
        refusal = status;
    }

    /** What was asked: {@code list pods}, {@code exec enipam-a}. */
    public List<String> requests() {
        return requests;
    }

    private void answer(HttpServerRequest request) {
        String[] path = request.path().substring(1).split("/");
        String last = path[path.length - 1];
        if (last.equals("exec")) {
            String pod = path[path.length - 2];
            if (admitted(request, "exec", pod, pods.containsKey(pod))) {
                List<String> words = request.params().getAll("command");
                request.toWebSocket().onSuccess(socket -> run(socket, programs.get(pod), words));
            }
        } else if (last.equals("nodes") || last.equals("pods")) {
            if (admitted(request, "list", last, true)) {
                list(request, last.equals("nodes") ? nodes : pods);
            }
        } else if (admitted(request, "get", "node " + last, nodes.containsKey(last))) {
            request.response().end(nodes.get(last).encode());
        }
    }

    private boolean admitted(HttpServerRequest request, String verb, String object, boolean there) {
        requests.add(verb + " " + object);
        int status = !("Bearer " + TOKEN).equals(request.getHeader("Authorization"))
                ? 401
                : refusal.apply(verb, object) != 0 ? refusal.apply(verb, object) : there ? 0 : 404;
        if (status != 0) {
            request.response()
                    .setStatusCode(status)
                    .putHeader("Content-Type", "application/json")
                    .end(new JsonObject()
                            .put("kind", "Status")
                            .put("apiVersion", "v1")
                            .put("status", "Failure")
                            .put("code", status)
                            .put("message", "User \"alice\" cannot " + verb + " " + object)
                            .encode());
        }
        return status == 0;
    }

    private static void list(HttpServerRequest request, SortedMap<String, JsonObject> all) {
        Predicate<JsonObject> wanted = selected(request);
        List<JsonObject> found = all.values().stream().filter(wanted).toList();
        int from = Optional.ofNullable(request.getParam("continue"))
                .filter(token -> !token.isEmpty())
                .map(Integer::parseInt)
                .orElse(0);
        int to = Math.min(found.size(), from + PAGE);
        request.response()
                .putHeader("Content-Type", "application/json")
                .end(new JsonObject()
                        .put("kind", "List")
                        .put("apiVersion", "v1")
                        .put("metadata", new JsonObject().put("continue", to < found.size() ? "" + to : ""))
                        .put("items", new JsonArray(found.subList(from, to)))
                        .encode());
    }

    private static Predicate<JsonObject> selected(HttpServerRequest request) {
        Predicate<JsonObject> wanted = object -> true;
        String labels = request.getParam("labelSelector");
        for (String pair : labels == null || labels.isEmpty() ? new String[0] : labels.split(",")) {
            String[] word = pair.split("=");
            wanted = wanted.and(object -> word[1].equals(
                    object.getJsonObject("metadata").getJsonObject("labels").getString(word[0])));
        }
        String field = request.getParam("fieldSelector");
        if (field != null && field.startsWith("spec.nodeName=")) {
            wanted = wanted.and(
                    object -> field.endsWith("=" + object.getJsonObject("spec").getString("nodeName")));
        }
        return wanted;
    }

    private void run(ServerWebSocket socket, Program program, List<String> words) {
        try {
            Pipe stdin = Pipe.open();
            SerialQueue turns = new SerialQueue(threads);
            socket.pause();
            socket.binaryMessageHandler(message -> turns.add(() -> {
                try {
                    ByteBuffer bytes = ByteBuffer.wrap(message.getBytes(1, message.length()));
                    while (bytes.hasRemaining()) {
                        stdin.sink().write(bytes);
                    }
                } catch (IOException over) {
                    socket.close();
                }
                socket.fetch(1);
            }));
            socket.closeHandler(closed -> turns.add(() -> {
                try {
                    stdin.sink().close();
                } catch (IOException gone) {
                    throw new java.io.UncheckedIOException(gone);
                }
            }));
            socket.fetch(1);
            threads.execute(() -> run(socket, program, words, stdin));
        } catch (IOException e) {
            socket.close((short) 1011, e.getMessage());
        }
    }

    private static void run(ServerWebSocket socket, Program program, List<String> words, Pipe stdin) {
        JsonObject end;
        try {
            int status = program.run(
                    words,
                    stdin.source(),
                    new Channel(socket, (byte) 1),
                    new PrintStream(new Lines(new Channel(socket, (byte) 2)), true, StandardCharsets.UTF_8));
            end = status == 0
                    ? new JsonObject().put("status", "Success")
                    : new JsonObject()
                            .put("status", "Failure")
                            .put("reason", "NonZeroExitCode")
                            .put("message", "command terminated with non-zero exit code: exit status " + status);
        } catch (Exception e) {
            end = new JsonObject()
                    .put("status", "Failure")
                    .put("reason", "InternalError")
                    .put("message", String.valueOf(e.getMessage()));
        }
        try {
            new Channel(socket, (byte) 3).write(ByteBuffer.wrap(end.encode().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException gone) {
            return;
        }
        socket.close();
    }

    /** Does one thing after the other; for one thread to add to. */
    private static final class SerialQueue {
        private final Executor threads;
        private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

        SerialQueue(Executor threads) {
            this.threads = threads;
        }

        void add(Runnable task) {
            last = last.thenRunAsync(task, threads);
        }
    }

    /** One of the channels of an exec; a write returns when the message has left. */
    private record Channel(ServerWebSocket socket, byte number) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer bytes) throws IOException {
            byte[] message = new byte[bytes.remaining() + 1];
            message[0] = number;
            int length = bytes.remaining();
            bytes.get(message, 1, length);
            try {
                socket.writeBinaryMessage(Buffer.buffer(message))
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get();
                return length;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            } catch (Exception e) {
                throw new IOException(e);
            }
        }

        @Override
        public boolean isOpen() {
            return !socket.isClosed();
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    /** Sends what is printed when it is flushed. */
    private static final class Lines extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private final Channel to;

        Lines(Channel to) {
            this.to = to;
        }

        @Override
        public void write(int b) {
            line.write(b);
        }

        @Override
        public void flush() throws IOException {
            if (line.size() > 0) {
                to.write(ByteBuffer.wrap(line.toByteArray()));
                line.reset();
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
