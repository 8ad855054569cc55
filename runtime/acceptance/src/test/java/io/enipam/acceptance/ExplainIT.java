package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code explain} of real programs: a pod that vanished without a DEL, by its name and by its address. */
class ExplainIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path scratch;

    private Programs programs;

    @BeforeEach
    void prepare() {
        programs = new Programs(scratch);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertThat(programs.leftProcesses()).isEmpty();
        assertThat(programs.leftFiles()).isEmpty();
    }

    @Test
    void aPodThatVanishedIsExplainedUntilItsAddressIsTakenBack() throws IOException {
        Programs.Result result = programs.enipam(
                "--sandbox",
                "-c",
                "cni add --pod default/web-0; pod delete default/web-0 --yes; explain default/web-0 -o json;"
                        + " explain web-0; gc run; explain default/web-0 -o name; explain default/nobody");

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
}
