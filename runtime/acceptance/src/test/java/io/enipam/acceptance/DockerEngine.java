package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.acceptance.Netns.Said;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A dockerd of a test's own, in a network namespace that stands for its host, with all that it has below one directory. Its containers run
 * the image {@code bb}, which is Debian's static busybox.
 */
final class DockerEngine implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> PROGRAMS = List.of("dockerd", "docker", "busybox", "tar");

    private final Netns host;
    private final Path directory;
    private @Nullable Process process;

    private DockerEngine(Netns host, Path directory) {
        this.host = host;
        this.directory = directory;
    }

    /**
     * Starts one, which has no network.
     *
     * @param directory short: sockets are below it
     */
    static DockerEngine start(String name, Path directory) throws IOException {
        Netns.require();
        for (String program : PROGRAMS) {
            assumeTrue(
                    Netns.say("sh", "-c", "command -v " + program).status() == 0,
                    program + " is not installed: Debian's docker.io and busybox-static have what this test runs");
        }
        DockerEngine engine = new DockerEngine(Netns.make(name), Files.createDirectories(directory));
        try {
            assumeTrue(engine.start(), () -> "dockerd cannot run here: " + engine.lastWords());
            engine.ok("sh", "-c", "tar -C / -c bin/busybox | docker -H unix://" + engine.socket() + " import - bb");
            return engine;
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    Netns host() {
        return host;
    }

    /** Of its API. */
    Path socket() {
        return directory.resolve("d.sock");
    }

    private Path log() {
        return directory.resolve("log");
    }

    private String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log());
            return lines.isEmpty() ? "it says nothing" : lines.get(lines.size() - 1);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Starts it, anew as well; whether it serves. */
    boolean start() throws IOException {
        process = new ProcessBuilder(host.inside(
                        "dockerd",
                        "--data-root=" + directory.resolve("data"),
                        "--exec-root=" + directory.resolve("exec"),
                        "--pidfile=" + directory.resolve("pid"),
                        "--host=unix://" + socket(),
                        "--iptables=false",
                        "--bridge=none",
                        "--userland-proxy=false"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        Process started = process;
        Awaitility.await("dockerd serves or ends")
                .atMost(PATIENCE)
                .until(() -> !started.isAlive() || docker("version").status() == 0);
        return started.isAlive();
    }

    /** Why it has ended by itself, which its log says. */
    Optional<String> panic() {
        try {
            if (process == null || !process.waitFor(1, TimeUnit.SECONDS)) {
                return Optional.empty();
            }
            return Files.readAllLines(log()).stream()
                    .filter(line -> line.startsWith("panic: "))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** SIGKILL: its containers run on until the next dockerd finds them. */
    void kill() throws IOException, InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
            process = null;
        }
        // a dockerd that starts while the former one's containerd is about to end waits for that one in vain
        Path containerd = directory.resolve("exec/containerd/containerd.pid");
        if (Files.exists(containerd)) {
            long pid = Long.parseLong(Files.readString(containerd).trim());
            Awaitility.await("containerd ends with it")
                    .atMost(PATIENCE)
                    .until(() -> ProcessHandle.of(pid).isEmpty());
        }
        Files.deleteIfExists(directory.resolve("pid"));
    }

    /** What a command of Docker's says. */
    Said docker(String... words) {
        return Netns.say(command(words).toArray(String[]::new));
    }

    /** The same, which must succeed: without the line's end. */
    String ok(String... words) {
        String[] command = words[0].equals("sh") ? words : command(words).toArray(String[]::new);
        return Netns.ok(command).strip();
    }

    /** What its API answers, past its command, on a connection of its own: an answer of HTTP/1.0 ends where the connection does. */
    JsonNode get(String path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            String request = "GET " + path + " HTTP/1.0\r\nHost: docker\r\n\r\n";
            channel.write(StandardCharsets.US_ASCII.encode(request));
            String answer = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            return JSON.readTree(answer.substring(answer.indexOf("\r\n\r\n")));
        }
    }

    /** A command that is begun, and not waited for. */
    Process begin(String... words) throws IOException {
        return new ProcessBuilder(command(words)).redirectErrorStream(true).start();
    }

    private List<String> command(String... words) {
        List<String> command = new ArrayList<>(List.of("docker", "-H", "unix://" + socket()));
        command.addAll(List.of(words));
        return command;
    }

    /** Starts a container that does nothing; its address with its length, as the container has it. */
    String run(String name, String network, String... more) {
        List<String> words = new ArrayList<>(List.of("run", "--detach", "--name", name, "--network", network));
        words.addAll(List.of(more));
        words.addAll(List.of("bb", "/bin/busybox", "sleep", "3600"));
        ok(words.toArray(String[]::new));
        return address(name);
    }

    String address(String container) {
        String line = ok("exec", container, "/bin/busybox", "ip", "-o", "-4", "address", "show", "dev", "eth0");
        return line.replaceFirst("(?s).* inet ([0-9./]+).*", "$1");
    }

    /** The addresses of the containers of a network, as Docker has them. */
    List<String> addresses(String network) {
        String all = ok("network", "inspect", "--format", "{{range .Containers}}{{.IPv4Address}} {{end}}", network);
        return all.isEmpty() ? List.of() : List.of(all.split(" +"));
    }

    String gateway(String network) {
        return ok("network", "inspect", "--format", "{{range .IPAM.Config}}{{.Gateway}}{{end}}", network)
                .replaceFirst("/.*", "");
    }

    /** Ends it with all that it made. */
    @Override
    public void close() throws IOException {
        try {
            if (panic().isPresent()) { // another one ends its containers
                kill();
                start();
            }
            if (process != null && process.isAlive()) {
                String all = docker("ps", "--all", "--quiet").text().strip();
                if (!all.isEmpty()) {
                    List<String> words = new ArrayList<>(List.of("rm", "--force", "--volumes"));
                    words.addAll(all.lines().toList());
                    docker(words.toArray(String[]::new));
                }
                process.destroy();
                assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("dockerd ends")
                        .isTrue();
            }
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            unmount();
            host.remove();
        }
    }

    /** What a dockerd that was killed had mounted, and the next one mounted over. */
    private void unmount() throws IOException {
        List<String> below = Files.readAllLines(Path.of("/proc/self/mounts")).stream()
                .map(line -> line.split(" ")[1])
                .filter(path -> path.startsWith(directory + "/"))
                .sorted(Comparator.reverseOrder())
                .toList();
        for (String path : below) {
            Netns.ok("umount", path);
        }
    }
}
