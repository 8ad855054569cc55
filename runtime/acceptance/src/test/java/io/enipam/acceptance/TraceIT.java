package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real daemon and the shell: how an address came to a pod, and why another pod got none, and what
 * becomes of one that vanished, as the shell tells it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TraceIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path scratch;

    private DaemonWithShell daemon;

    @BeforeAll
    void start() throws Exception {
        Path root = Files.createDirectory(scratch.resolve("root"));
        Path config = Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml");
        // every ADD has an address made for it
        Files.writeString(config, "pool:\n  min_idle: 0\n  max_idle: 0\n");
        daemon = new DaemonWithShell(new ProgramRunner(scratch), root);
        daemon.start("--emulate");
    }

    @AfterAll
    void stop() throws InterruptedException {
        daemon.close();
    }

    @Test
    @Order(1)
    void aPodThatVanishedIsExplainedUntilItsAddressIsTakenBack() throws IOException {
        ProgramRunner.Result result =
                daemon.attached("cni add --pod default/web-0 --timeout 60s; pod delete default/web-0 --yes;"
                        + " explain default/web-0 -o json; explain web-0; gc run; explain default/web-0 -o name;"
                        + " explain default/nobody");

        assertThat(result.status()).as(result.toString()).isEqualTo(1);
        assertThat(result.err()).contains("explain failed: nobody here knows 'default/nobody'");
        JsonNode pod = document(result.out()).path("things").path(0);
        assertThat(pod.path("state").asText()).isEqualTo("HAS_ADDRESS");
        assertThat(pod.path("why").path(1).asText()).isEqualTo("the pod is gone (no such pod) and no DEL has come");
        assertThat(pod.path("differences").path(0).path("kind").asText()).isEqualTo("POD_GONE");
        List<String> sources = new ArrayList<>();
        pod.path("says")
                .forEach(says -> sources.add(says.path("source").asText() + " "
                        + says.path("differs").asText()));
        assertThat(sources)
                .containsExactly(
                        "database true",
                        "pool false",
                        "ENI book false",
                        "cloud false",
                        "kernel false",
                        "API server true");
        assertThat(result.out()).contains("differs    address ").contains("API server  !  nothing of it");
        assertThat(result.out().lines()).as("after the garbage collection").contains("default/web-0");
    }

    /** The one document among what was printed. */
    private static JsonNode document(String out) throws IOException {
        return JSON.readTree(out.substring(out.indexOf("\n{") + 1));
    }

    @Test
    @Order(2)
    void theStoryOfAPodGoesFromTheCallToTheRequestIdsOfTheCloudAndOutlivesTheDaemon() throws Exception {
        // the first test's address could be lent once more on its way back
        await().atMost(Duration.ofSeconds(120))
                .until(() -> daemon.ok("pool show -o json")
                        .matches("(?s).*\"idle\": 0,.*\"cooling\": 0,.*\"disposing\": 0,.*"));
        daemon.ok("cni add --pod default/first --timeout 60s;"
                + " cloud fault add AssignPrivateIpAddresses --nth 1 --code InternalError;"
                + " cni add --pod default/web --timeout 60s;"
                + " cloud fault add AssignPrivateIpAddresses --code Forbidden.RAM");
        assertThat(daemon.attached("cni add --pod default/poor --timeout 60s").status())
                .isEqualTo(1);

        JsonNode story = JSON.readTree(daemon.ok("trace default/web -o json")).at("/stories/0");
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
        JsonNode call = JSON.readTree(daemon.ok("ecs calls --api AssignPrivateIpAddresses --limit 0 -o json"))
                .at("/calls");
        List<String> booked = new ArrayList<>();
        call.forEach(one -> booked.add(one.path("requestId").asText()));
        assertThat(booked).containsAnyElementsOf(requests);

        String poor = daemon.ok("trace default/poor");
        assertThat(poor).contains("FAILED CLOUD_FAILED", "AssignPrivateIpAddresses", "Forbidden.RAM", "what to do:");
        assertThat(daemon.ok("trace --failed")).contains("default/poor").doesNotContain("default/web");

        TimeUnit.SECONDS.sleep(10); // what a kill may lose of it is half a second
        daemon.kill();
        daemon.start("--emulate");

        assertThat(daemon.ok("trace default/poor")).contains("FAILED CLOUD_FAILED", "Forbidden.RAM");
        ProgramRunner.Result unknown = daemon.attached("trace default/nobody");
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).hasLineCount(1).contains("nothing is remembered");
    }
}
