package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweepReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sweep asks, and says what it is about; what it prints is in the golden files. */
class EniSweepTest {
    @TempDir
    Path directory;

    private Path socket;
    private FakeDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        socket = directory.resolve("s");
        daemon = new FakeDaemon(socket);
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    private Shell.Result asked(String answer) {
        return new Shell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing(answer + "\n")
                .at(socket, "eni", "sweep");
    }

    private List<Boolean> dryRuns() {
        return daemon.received().stream()
                .filter(SweepEnisRequest.class::isInstance)
                .map(request -> ((SweepEnisRequest) request).getDryRun())
                .toList();
    }

    @Test
    void nothing_is_swept_unasked() {
        Shell.Result result = new Shell(directory, directory).at(socket, "-c", "eni sweep");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("eni sweep failed: it has to be confirmed")
                .endsWith("Add --yes\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void the_question_names_what_would_go_and_a_no_changes_nothing() {
        Shell.Result result = asked("n");

        assertThat(result.err())
                .isEqualTo("Delete 1 ENI that nobody knows? eni-7 (34m old, 10.0.1.9, 10.0.1.10). [y/N] ");
        assertThat(result.out()).isEqualTo("nothing was changed\n");
        assertThat(dryRuns()).containsExactly(true);
    }

    @Test
    void a_yes_sweeps_after_the_look() {
        Shell.Result result = asked("y");

        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("examined 4 ENIs of this node, 2 known to nobody: deleting 1");
        assertThat(dryRuns()).containsExactly(true, false);
    }

    @Test
    void where_nothing_was_left_behind_nobody_is_asked() {
        daemon.answer(
                SweepEnisRequest.class,
                SweepEnisReply.newBuilder()
                        .setReport(SweepReport.newBuilder().setDryRun(true).setExamined(3))
                        .build());

        Shell.Result result = asked("y");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("examined 3 ENIs of this node, nothing is left behind, in under 1 ms\n");
        assertThat(dryRuns()).containsExactly(true);
    }
}
