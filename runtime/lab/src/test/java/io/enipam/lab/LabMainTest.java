package io.enipam.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabMainTest {
    @TempDir
    Path scratch;

    private int status;

    private String run(String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        status = LabMain.run(new PrintStream(bytes, false, StandardCharsets.UTF_8), words);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private Path trace() throws IOException {
        Path file = scratch.resolve("day.jsonl");
        Files.writeString(file, run("generate", "--pattern", "deploy", "--pods", "100", "--hours", "1", "--seed", "3"));
        assertThat(status).isZero();
        return file;
    }

    @Test
    void theSameSeedPrintsTheSameBytesTwice() throws IOException {
        String file = trace().toString();
        String[] words = {"run", file, "--policy", "watermark(min=5,max=10)", "--policy", "watermark(min=0,max=2)"};
        String once = run(words);
        assertThat(status).isZero();
        assertThat(once.lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"result\":{\"policy\":\"watermark(min="));
        assertThat(run(words)).isEqualTo(once);
    }

    @Test
    void aSweepPrintsEachReplayAndThenTheSameAdviceEachTime() throws IOException {
        String[] words = {"sweep", trace().toString(), "--min", "0..4", "--max", "4..8", "--step", "4", "--p99", "100"};
        String once = run(words);
        assertThat(status).isZero();
        // four of the grid, and the watermarks of a node that has none configured
        assertThat(once.lines()).hasSize(6);
        assertThat(once.lines().toList().get(5))
                .startsWith("{\"sweep\":{\"front\":[\"watermark(min=")
                .contains("\"present\":\"watermark(min=0,max=5)\"", "\"advice\":[");
        assertThat(run(words)).isEqualTo(once);
    }

    @Test
    void whatIsWrongWithTheWordsEndsWithStatus2() throws IOException {
        String file = trace().toString();
        assertThat(run("run", file, "--policy", "none")).isEmpty();
        assertThat(status).isEqualTo(2);
        run("run", file, "--policy", "watermark", "--errors", "Attach=5");
        assertThat(status).isEqualTo(2);
        run("run", file + "x", "--policy", "watermark");
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "deploy", "--hours", "0");
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "deploy", "--pods", "0");
        assertThat(status).isEqualTo(2);
    }
}
