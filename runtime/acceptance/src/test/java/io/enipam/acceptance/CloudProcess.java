package io.enipam.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** {@code enipam-cloud} as a process of its own: a cloud that outlives the daemons which use it. */
final class CloudProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;

    private CloudProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts it on free ports and waits until it answers. */
    static CloudProcess start(ProgramRunner programs, Path log, String... options) throws IOException {
        Stream<String> anyPorts = Stream.of("--listen", "--metadata-listen", "--control-listen")
                .flatMap(at -> Stream.of(at, "127.0.0.1:0"));
        String[] all = Stream.concat(anyPorts, Stream.of(options)).toArray(String[]::new);
        CloudProcess cloud = new CloudProcess(programs.startLogged(log, ProgramRunner.cloud(), all), log);
        Awaitility.await("the cloud answers")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Files.readString(log).contains("control on http"));
        return cloud;
    }

    /** What a daemon has to be told to use this cloud and to simulate pods, as lines of {@code enipam.yaml}. */
    String daemonConfig() throws IOException {
        return "cloud: {endpoint: \"" + address("ECS and VPC on ") + "\", metadata: \"" + address("metadata on ")
                + "\"}\ndatapath: {use: 'off'}\n";
    }

    /** The emulator's default account, as {@code eni.json}. */
    static String account() {
        return "{\"access_key\": \"testid\", \"access_secret\": \"testsecret\"}";
    }

    private String address(String before) throws IOException {
        return Files.readString(log)
                .lines()
                .filter(line -> line.contains(before))
                .map(line -> line.substring(line.indexOf(before) + before.length()))
                .findFirst()
                .orElseThrow();
    }

    /**
     * One ENI that a daemon made, in the cloud's own books.
     *
     * @param status as the API spells it
     * @param addresses all its IPv4 addresses, the primary one included
     */
    record ListedEni(String status, TreeSet<String> addresses) {}

    /** The ENIs in the cloud's books, by id; without the primary ones of instances, which no daemon made. */
    Map<String, ListedEni> enis() {
        Map<String, ListedEni> enis = new TreeMap<>();
        for (JsonNode eni : books().path("enis")) {
            if (!eni.path("primary").asBoolean()) {
                TreeSet<String> addresses = new TreeSet<>();
                eni.path("privateIps").forEach(address -> addresses.add(address.asText()));
                enis.put(
                        eni.path("id").asText(),
                        new ListedEni(eni.path("status").asText(), addresses));
            }
        }
        return enis;
    }

    /** How often each API was called since the start. */
    Map<String, Long> calls() {
        Map<String, Long> calls = new TreeMap<>();
        books().path("calls")
                .properties()
                .forEach(call -> calls.put(call.getKey(), call.getValue().asLong()));
        return calls;
    }

    private JsonNode books() {
        try {
            URI books = URI.create(address("control on ") + "/books");
            HttpResponse<String> reply =
                    http.send(HttpRequest.newBuilder(books).build(), HttpResponse.BodyHandlers.ofString());
            if (reply.statusCode() != 200) {
                throw new AssertionError("the cloud's books: " + reply.body());
            }
            return JSON.readTree(reply.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
