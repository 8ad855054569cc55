package io.enipam.etcd.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A member, as a rule the only one, whose process can be killed and started again on the same data. For one thread. */
public final class EtcdServer implements AutoCloseable {
    /** What {@code io.enipam.etcd} needs beyond etcd's defaults. */
    public static final String LARGE_REQUESTS = "--max-request-bytes=4194304";

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final String scheme;
    private final int port = freePort();
    private final int peerPort = freePort();
    private final String name;
    private final List<String> options;
    /** All members of its cluster. */
    private List<EtcdServer> cluster = List.of(this);

    private Optional<Process> process = Optional.empty();

    /** @param options of etcd, beside those of its place and its ports */
    public EtcdServer(Path directory, String scheme, String... options) {
        // it elects itself after a tenth of a second in place of one
        this("one", directory, scheme, with(List.of("--heartbeat-interval=10", "--election-timeout=100"), options));
    }

    private EtcdServer(String name, Path directory, String scheme, List<String> options) {
        this.name = name;
        this.directory = directory;
        this.scheme = scheme;
        this.options = options;
    }

    private static List<String> with(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }

    /** So many members of one cluster, with {@link #LARGE_REQUESTS}, none of them started. */
    public static List<EtcdServer> cluster(Path directory, int members) throws IOException {
        List<EtcdServer> all = new ArrayList<>();
        for (int i = 1; i <= members; i++) {
            Path own = Files.createDirectories(directory.resolve("member-" + i));
            all.add(new EtcdServer("member-" + i, own, "http", List.of(LARGE_REQUESTS)));
        }
        all.forEach(member -> member.cluster = List.copyOf(all));
        return List.copyOf(all);
    }

    /** Started, and with {@link #LARGE_REQUESTS}. */
    public static EtcdServer started(Path directory) {
        EtcdServer server = new EtcdServer(directory, "http", LARGE_REQUESTS);
        server.start();
        return server;
    }

    /** The program; empty where Debian's {@code etcd-server} is not installed. */
    public static Optional<Path> program() {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, "etcd"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public URI endpoint() {
        return URI.create(scheme + "://127.0.0.1:" + port);
    }

    public int port() {
        return port;
    }

    public void start() {
        List<String> command = new ArrayList<>(List.of(
                program().orElseThrow().toString(),
                "--name=" + name,
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-peer-urls=" + peer(),
                "--initial-advertise-peer-urls=" + peer(),
                "--initial-cluster="
                        + cluster.stream()
                                .map(member -> member.name + "=" + member.peer())
                                .collect(Collectors.joining(",")),
                "--logger=zap",
                "--log-level=warn",
                "--log-outputs=stderr"));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD_"));
        try {
            Process started = builder.start();
            process = Optional.of(started);
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (!listens()) {
                if (!started.isAlive() || System.nanoTime() > until) {
                    throw new IllegalStateException("etcd does not start:\n" + Files.readString(log()));
                }
                Thread.sleep(10);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String peer() {
        return "http://127.0.0.1:" + peerPort;
    }

    private Path log() {
        return directory.resolve("log");
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** As kill -9 does. */
    public void kill() {
        process.ifPresent(running -> {
            running.destroyForcibly();
            running.onExit().join();
        });
        process = Optional.empty();
    }

    @Override
    public void close() {
        kill();
    }

    /**
     * Of this machine, below those that the kernel gives to outgoing connections: nothing else takes it while etcd is down. None is given
     * twice, for a server has two and listens on neither yet.
     */
    public static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            if (!GIVEN.add(port)) {
                continue;
            }
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // by another program: another one
            }
        }
    }
}
