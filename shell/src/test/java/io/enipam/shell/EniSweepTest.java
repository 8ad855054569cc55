package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.SweepEnisReply;
import io.enipam.v1.SweepEnisRequest;
import io.enipam.v1.SweepReport;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sweep asks, and says what it is about; what it prints is in the golden files. */
class EniSweepTest extends AttachedShell {
    private TestShell.Result asked(String answer) {
        return asked(answer, "eni", "sweep");
    }

    private List<Boolean> dryRuns() {
        return received(SweepEnisRequest.class).stream()
                .map(SweepEnisRequest::getDryRun)
                .toList();
    }

    @Test
    void nothingIsSweptUnasked() {
        TestShell.Result result = run("eni sweep");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("eni sweep failed: it has to be confirmed")
                .endsWith("Add --yes\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void theQuestionNamesWhatWouldGoAndANoChangesNothing() {
        TestShell.Result result = asked("n");

        assertThat(result.err())
                .isEqualTo("Delete 1 ENI that nobody knows? eni-7 (34m old, 10.0.1.9, 10.0.1.10). [y/N] ");
        assertThat(result.out()).isEqualTo("nothing was changed\n");
        assertThat(dryRuns()).containsExactly(true);
    }

    @Test
    void aYesSweepsAfterTheLook() {
        TestShell.Result result = asked("y");

        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("examined 4 ENIs of this node, 2 known to nobody: deleting 1");
        assertThat(dryRuns()).containsExactly(true, false);
    }

    @Test
    void whereNothingWasLeftBehindNobodyIsAsked() {
        daemon.answer(
                SweepEnisRequest.class,
                SweepEnisReply.newBuilder()
                        .setReport(SweepReport.newBuilder().setDryRun(true).setExamined(3))
                        .build());

        TestShell.Result result = asked("y");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("examined 3 ENIs of this node, nothing is left behind, in under 1 ms\n");
        assertThat(dryRuns()).containsExactly(true);
    }
}
