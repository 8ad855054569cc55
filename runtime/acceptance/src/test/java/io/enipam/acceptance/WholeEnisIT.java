package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods with an ENI of their own, from the command line: terway's mode ENIOnly. */
class WholeEnisIT extends SandboxFixture {
    @TempDir
    Path files;

    private Path config(String yaml) throws IOException {
        return Files.writeString(files.resolve("demo.yaml"), yaml);
    }

    @Test
    void aPodGetsAnEniAndTheListSaysWhose() throws IOException {
        Path config = config("pool: {factory: eni, min_idle: 0}\n");

        ProgramRunner.Result result = programs.enipam(
                "--sandbox", "--config", config.toString(), "-c", "cni add --pod default/web-0; eni list -o json");

        assertThat(result.status()).as(result.toString()).isZero();
        JsonNode enis = new ObjectMapper()
                .readTree(result.out().substring(result.out().indexOf('{')))
                .path("enis");
        assertThat(enis).hasSize(1);
        JsonNode eni = enis.path(0);
        assertThat(result.out()).contains("ENI        " + eni.path("id").asText());
        assertThat(eni.path("state").asText()).isEqualTo("InUse");
        assertThat(eni.path("addresses").path(0).path("pod").asText()).isEqualTo("default/web-0");
    }

    @Test
    void aNodeIsSwappedFromAddressesToWholeEnis() throws IOException {
        Path config = config("pool: {min_idle: 1}\n");

        ProgramRunner.Result result = programs.enipam(
                "--sandbox",
                "--config",
                config.toString(),
                "-c",
                "cni add --pod default/a; plugin swap factory eni --yes; cni add --pod default/b; pool inuse");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.out()).contains("factory eni took over from eni-ip", "default/a", "default/b");
    }
}
