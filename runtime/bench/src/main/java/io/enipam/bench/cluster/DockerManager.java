package io.enipam.bench.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.bench.cluster.SwarmBenchMain.Times;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A dockerd as the manager of a swarm of its own, by its API. Its tasks are for no node: so they are allocated, stay PENDING, and no
 * container starts. To be run in a network namespace that goes with the program: dockerd leaves a bridge behind.
 */
final class DockerManager implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long POLL_MILLIS = 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory;
    private final Process process;
    private int services;

    private DockerManager(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
    }

    /** Empty if dockerd cannot be started here. */
    static Optional<DockerManager> start(Path directory) throws IOException, InterruptedException {
        boolean apart = System.getenv("ENIPAM_BENCH_OWN_NETWORK") != null;
        if (!apart || !Files.isExecutable(Path.of("/usr/sbin/dockerd"))) {
            return Optional.empty();
        }
        Files.createDirectories(directory);
        Process process = new ProcessBuilder(
                        "/usr/sbin/dockerd",
                        "--data-root=" + directory.resolve("data"),
                        "--exec-root=" + directory.resolve("exec"),
                        "--pidfile=" + directory.resolve("pid"),
                        "--host=unix://" + directory.resolve("d.sock"),
                        "--iptables=false",
                        "--bridge=none",
                        "--userland-proxy=false")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        DockerManager manager = new DockerManager(directory, process);
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!manager.serves()) {
            if (!process.isAlive() || System.nanoTime() > until) {
                manager.close();
                return Optional.empty();
            }
            Thread.sleep(POLL_MILLIS);
        }
        manager.post("/swarm/init", "{\"ListenAddr\":\"127.0.0.1:2377\",\"AdvertiseAddr\":\"127.0.0.1\"}");
        manager.post(
                "/networks/create",
                "{\"Name\":\"net\",\"Driver\":\"overlay\",\"IPAM\":{\"Config\":[{\"Subnet\":\"10.90.0.0/16\"}]}}");
        return Optional.of(manager);
    }

    private boolean serves() {
        try {
            get("/version");
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    Times run(int tasks) throws IOException, InterruptedException {
        try (DockerTasks watch = new DockerTasks(directory.resolve("exec/swarm/control.sock"))) {
            return run(tasks, watch);
        }
    }

    private Times run(int tasks, DockerTasks watch) throws IOException {
        double cpu = cpu();
        long begun = System.nanoTime();
        String service = JSON.readTree(post("/services/create", """
                {"Name":"web%d","Mode":{"Replicated":{"Replicas":%d}},"TaskTemplate":{"ContainerSpec":{"Image":"none"},
                 "Networks":[{"Target":"net"}],"Placement":{"Constraints":["node.labels.x==none"]}}}""".formatted(services++, tasks)))
                .get("ID")
                .asText();
        RunningPlugin.await(() -> watch.allocated(service) >= tasks);
        double created = SwarmBenchMain.seconds(begun);
        double used = cpu() - cpu;
        long less = System.nanoTime();
        scale(service, tasks / 2);
        // those that it has marked for removal do not count, whether they are still there or not; at times
        // dockerd 20.10 leaves some more than the service has replicas, and those stay
        RunningPlugin.await(() -> watch.wanted(service) <= tasks / 2 + tasks / 100);
        double gone = SwarmBenchMain.seconds(less);
        long more = System.nanoTime();
        scale(service, tasks);
        RunningPlugin.await(() -> watch.allocated(service) >= tasks);
        return new Times(created, used, gone, SwarmBenchMain.seconds(more));
    }

    private void scale(String service, int tasks) throws IOException {
        JsonNode now = JSON.readTree(get("/services/" + service));
        ((ObjectNode) now.at("/Spec/Mode/Replicated")).put("Replicas", tasks);
        post(
                "/services/" + service + "/update?version="
                        + now.at("/Version/Index").asLong(),
                now.get("Spec").toString());
    }

    /** Of dockerd itself, in seconds; not of the containerd that it starts. */
    private double cpu() {
        return process.toHandle()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private String get(String path) throws IOException {
        return call("GET", path, "");
    }

    private String post(String path, String body) throws IOException {
        return call("POST", path, body);
    }

    private String call(String method, String path, String body) throws IOException {
        byte[] sent = body.getBytes(StandardCharsets.UTF_8);
        String head = String.format(
                Locale.ROOT,
                "%s /v1.41%s HTTP/1.0\r\nHost: d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
                method,
                path,
                sent.length);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(directory.resolve("d.sock")));
            for (byte[] part : List.of(head.getBytes(StandardCharsets.UTF_8), sent)) {
                ByteBuffer out = ByteBuffer.wrap(part);
                while (out.hasRemaining()) {
                    channel.write(out);
                }
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            ByteBuffer in = ByteBuffer.allocate(1 << 16);
            while (channel.read(in) >= 0) {
                all.write(in.array(), 0, in.position());
                in.clear();
            }
            String answer = all.toString(StandardCharsets.UTF_8);
            if (!answer.matches("(?s)HTTP/1.. 2.*")) {
                throw new IOException(method + " " + path + ": " + answer);
            }
            return answer.substring(answer.indexOf("\r\n\r\n") + 4);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
