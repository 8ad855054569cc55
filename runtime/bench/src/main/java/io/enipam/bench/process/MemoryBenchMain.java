package io.enipam.bench.process;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.enipam.bench.Scratch;
import io.enipam.bench.process.DaemonProcess.BenchCloud;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the daemon's memory is: of a node with so many leases whose pods it watches at an API server, some time after the
 * last ADD. The table is the JVM's own (native memory tracking), which costs some memory itself; the first figures are the
 * kernel's, of a daemon without it.
 *
 * <p>Arguments: a directory, how many leases, and how many seconds nothing is called before memory is read.
 */
public final class MemoryBenchMain {
    private static final Pattern CATEGORY =
            Pattern.compile("-\\s+([A-Za-z][A-Za-z ]+) \\(reserved=\\d+KB, committed=(\\d+)KB.*");

    private MemoryBenchMain() {}

    public static void main(String[] args) throws Exception {
        int leases = Scratch.number(args, 1, 1_000);
        int seconds = Scratch.number(args, 2, 60);
        System.out.printf(
                Locale.ROOT,
                "java %s, %,d leases with a watch on their pods, %d s after the last ADD%n",
                System.getProperty("java.version"),
                leases,
                seconds);
        try (Scratch scratch = Scratch.of(args);
                BenchCloud cloud = new BenchCloud(leases);
                PodApi api = new PodApi(leases)) {
            measure(scratch.path().resolve("shipped"), cloud, api, leases, seconds, "");
            measure(scratch.path().resolve("tracked"), cloud, api, leases, seconds, "-XX:NativeMemoryTracking=summary");
        }
    }

    private static void measure(Path root, BenchCloud cloud, PodApi api, int leases, int seconds, String options)
            throws Exception {
        Path kubeconfig = Files.writeString(Files.createDirectories(root).resolve("kubeconfig"), api.kubeconfig());
        cloud.configure(
                root,
                "datapath: {use: 'off'}\npool: {min_idle: 0, max_idle: 10}\nnode: {name: bench}\nmetrics: {listen: ''}\n"
                        + "kubernetes: {use: 'on', requests_per_second: 1000, kubeconfig: \"" + kubeconfig + "\"}\n");
        DaemonProcess node = new DaemonProcess(root);
        Process daemon = node.start(options.isEmpty() ? Map.of() : Map.of("JDK_JAVA_OPTIONS", options));
        try {
            long empty = ProcessRun.status(daemon, "VmRSS").orElseThrow();
            node.fill(leases);
            Thread.sleep(seconds * 1_000L);
            if (options.isEmpty()) {
                System.out.printf(
                        Locale.ROOT,
                        "RSS: %d MiB once it serves, %d with the leases, %d at most; %d threads%n",
                        empty >> 10,
                        ProcessRun.status(daemon, "VmRSS").orElseThrow() >> 10,
                        ProcessRun.status(daemon, "VmHWM").orElseThrow() >> 10,
                        ProcessRun.status(daemon, "Threads").orElseThrow());
            } else {
                table(daemon);
            }
        } finally {
            daemon.destroyForcibly().waitFor();
        }
    }

    private static void table(Process daemon) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(daemon.pid()),
                        "VM.native_memory",
                        "summary")
                .redirectErrorStream(true)
                .start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IllegalStateException(said);
        }
        System.out.printf("%-26s %12s%n", "of the JVM", "KiB");
        said.lines().forEach(line -> {
            Matcher category = CATEGORY.matcher(line.strip());
            if (category.matches() && Long.parseLong(category.group(2)) >= 100) {
                System.out.printf("%-26s %12s%n", category.group(1), category.group(2));
            }
        });
    }

    /** An API server of one node with so many pods: it lists them, and its watch tells nothing new. Thread-safe. */
    private static final class PodApi implements AutoCloseable {
        private static final Pattern POD = Pattern.compile("/api/v1/namespaces/bench/pods/pod-(\\d+)");

        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server;
        private final int pods;

        PodApi(int pods) throws IOException {
            this.pods = pods;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::answer);
            server.setExecutor(threads);
            server.start();
        }

        String kubeconfig() {
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
                say(
                        call,
                        200,
                        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"bench\"},\"spec\":{}}");
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
                    .mapToObj(i -> "{\"name\":\"volume-" + i + "\",\"configMap\":{\"name\":\"config-of-the-application-"
                            + i + "\",\"defaultMode\":420}}")
                    .collect(Collectors.joining(","));
            String environment = IntStream.range(0, 20)
                    .mapToObj(i ->
                            "{\"name\":\"VARIABLE_" + i + "\",\"value\":\"the value of a variable of the container\"}")
                    .collect(Collectors.joining(","));
            return "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"namespace\":\"bench\",\"name\":\"pod-"
                    + number
                    + "\",\"uid\":\"" + String.format(Locale.ROOT, "%08d", number)
                    + "-0000-0000-0000-000000000000\",\"resourceVersion\":\"1\","
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
}
