package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon and the shell: how an address came to a pod, and why another pod got none, as the shell tells it. */
class TraceIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path scratch;

    private Programs programs;
    private Path root;
    private @Nullable Process daemon;

    @BeforeEach
    void start() throws Exception {
        programs = new Programs(scratch);
        root = Files.createDirectory(scratch.resolve("root"));
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        // every ADD has an address made for it
        Files.writeString(config, "pool:\n  min_idle: 0\n  max_idle: 0\n");
        startDaemon();
    }

    private void startDaemon() throws Exception {
        Process started = programs.startLogged(
                scratch.resolve("log"),
                // it lives too short for the second compiler
                Map.of("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1"),
                Programs.daemon(),
                "--root",
                root.toString(),
                "--emulate");
        daemon = started;
        Awaitility.await()
                .atMost(Duration.ofSeconds(120))
                .until(() -> Files.exists(socket()) && attached("status").out().contains("READY"));
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (daemon != null) {
            daemon.destroy();
            if (!daemon.waitFor(30, TimeUnit.SECONDS)) {
                daemon.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void theStoryOfAPodGoesFromTheCallToTheRequestIdsOfTheCloudAndEndsWithTheDaemon() throws Exception {
        ok("cni add --pod default/first --timeout 60s;"
                + " cloud fault add AssignPrivateIpAddresses --nth 1 --code InternalError;"
                + " cni add --pod default/web --timeout 60s;"
                + " cloud fault add AssignPrivateIpAddresses --code Forbidden.RAM");
        assertThat(attached("cni add --pod default/poor --timeout 60s").status())
                .isEqualTo(1);

        JsonNode story = JSON.readTree(ok("trace default/web -o json")).at("/stories/0");
        assertThat(story.path("operation").asText()).isEqualTo("ADD");
        assertThat(story.path("outcome").asText()).isEqualTo("OK");
        List<String> attempts = new ArrayList<>();
        List<String> requests = new ArrayList<>();
        story.path("spans").forEach(span -> {
            if (span.path("step").asText().equals("ATTEMPT")) {
                attempts.add(span.path("outcome").asText());
                requests.add(span.at("/attributes/requestId").asText());
            }
        });
        assertThat(attempts).containsSubsequence("InternalError", "OK");
        JsonNode call = JSON.readTree(ok("ecs calls --api AssignPrivateIpAddresses --limit 0 -o json"))
                .at("/calls");
        List<String> booked = new ArrayList<>();
        call.forEach(one -> booked.add(one.path("requestId").asText()));
        assertThat(booked).containsAnyElementsOf(requests);

        String poor = ok("trace default/poor");
        assertThat(poor).contains("FAILED CLOUD_FAILED", "AssignPrivateIpAddresses", "Forbidden.RAM", "what to do:");
        assertThat(ok("trace --failed")).contains("default/poor").doesNotContain("default/web");

        kill();
        startDaemon();

        Programs.Result forgotten = attached("trace default/poor");
        assertThat(forgotten.status()).isEqualTo(1);
        assertThat(forgotten.err()).hasLineCount(1).contains("nothing is remembered", "since the daemon's start");
    }

    private void kill() throws InterruptedException, IOException {
        Process old = daemon;
        if (old != null) {
            old.destroyForcibly().waitFor();
        }
        Files.deleteIfExists(socket());
    }

    private String ok(String commands) {
        Programs.Result result = attached(commands);
        assertThat(result.status()).as(commands + ": " + result).isZero();
        return result.out();
    }

    private Path socket() {
        return root.resolve("run/enipam.sock");
    }

    private Programs.Result attached(String commands) {
        return new AttachedShell(socket(), scratch).run("-c", commands);
    }
}
