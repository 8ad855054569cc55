package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** {@code enipam-cloud --dataplane} by its launcher: a VPC whose instances are network namespaces. */
final class VpcCloud implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final AtomicInteger STARTS = new AtomicInteger();

    private final String prefix;
    private final Process process;
    private final Path state;
    private final Path control;

    private VpcCloud(String prefix, Process process, Path state, Path control) {
        this.prefix = prefix;
        this.process = process;
        this.state = state;
        this.control = control;
    }

    /** Starts it, and waits until it answers. */
    static VpcCloud start(ProgramRunner programs, Path scratch, String name, String... options) throws IOException {
        String prefix = "net" + ProcessHandle.current().pid() + name;
        Path log = scratch.resolve("cloud-" + name + "-" + STARTS.incrementAndGet() + ".log");
        Path state = scratch.resolve("cloud-" + name);
        Path control = scratch.resolve(name + ".sock");
        String[] all = Stream.concat(
                        Stream.of(
                                "--dataplane",
                                "--namespaces",
                                prefix,
                                "--state",
                                state.toString(),
                                "--control-listen",
                                "unix:" + control),
                        Stream.of(options))
                .toArray(String[]::new);
        VpcCloud cloud = new VpcCloud(prefix, programs.startLogged(log, ProgramRunner.cloud(), all), state, control);
        try {
            Awaitility.await("the cloud answers")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        assertThat(cloud.process.isAlive())
                                .as("the cloud runs: %s", Files.readString(log))
                                .isTrue();
                        return Files.readString(log).contains("a daemon on ");
                    });
            return cloud;
        } catch (RuntimeException | Error e) {
            cloud.close();
            throw e;
        }
    }

    /** How the names of its namespaces begin. */
    String prefix() {
        return prefix;
    }

    /** The namespace of an instance, counted from 0. */
    Netns node(int number) {
        return new Netns(prefix + "-node-" + number);
    }

    Netns vpc() {
        return new Netns(prefix + "-vpc");
    }

    /** The address of each instance's primary ENI. */
    String address(int number) throws IOException {
        return eni(number, true).findFirst().orElseThrow().path("primaryIp").asText();
    }

    /** By its books: the addresses of the ENIs that daemons made for an instance, by ENI. */
    Map<String, TreeSet<String>> addresses(int number) throws IOException {
        Map<String, TreeSet<String>> addresses = new TreeMap<>();
        eni(number, false).forEach(eni -> {
            TreeSet<String> all = new TreeSet<>();
            all.add(eni.path("primaryIp").asText());
            eni.path("secondaryIps").forEach(address -> all.add(address.asText()));
            addresses.put(eni.path("id").asText(), all);
        });
        return addresses;
    }

    /** The ENI that has all these addresses. */
    String eniWith(int number, Collection<String> addresses) throws IOException {
        return addresses(number).entrySet().stream()
                .filter(eni -> eni.getValue().containsAll(addresses))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    private Stream<JsonNode> eni(int number, boolean primary) throws IOException {
        JsonNode books = JSON.readTree(state.resolve("cloud.json").toFile());
        String instance = books.path("instances").path(number).path("id").asText();
        return books.path("enis").properties().stream()
                .map(Map.Entry::getValue)
                .filter(eni -> eni.path("instanceId").asText().equals(instance))
                .filter(eni -> eni.path("kind").asText().equals("PRIMARY") == primary);
    }

    /** The socket of its control API, which is in no namespace. */
    Path controlSocket() {
        return control;
    }

    /** The answer of its control API, status line and all. */
    String control(String method, String path, String body) throws IOException {
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(control))) {
            client.write(ByteBuffer.wrap((method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                            + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII)));
            return new String(Channels.newInputStream(client).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Detaches an ENI, as an outside actor does. */
    void detach(String eni) throws IOException {
        assertThat(control("POST", "/actions", "{\"action\": \"detach-eni\", \"eni\": \"" + eni + "\"}"))
                .startsWith("HTTP/1.1 200 ");
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGTERM, and waits for the end. */
    int terminate() throws InterruptedException {
        process.toHandle().destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** The namespaces there are whose names begin with a prefix. */
    static TreeSet<String> namespaces(String prefix) {
        TreeSet<String> names = new TreeSet<>();
        Netns.ok("ip", "netns", "list")
                .lines()
                .map(line -> line.replaceFirst(" .*", ""))
                .filter(name -> name.startsWith(prefix + "-"))
                .forEach(names::add);
        return names;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        namespaces(prefix).forEach(name -> new Netns(name).remove());
        Netns.say("rm", "-f", "/run/enipam-cloud/" + prefix);
    }
}
