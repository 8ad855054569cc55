package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.GcReport;
import io.enipam.v1.RunGcRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What ends by a list of those that stay is asked about; what it prints is in the golden files. */
class CniGcTest extends AttachedShell {
    private TestShell.Result asked(String answer) {
        return asked(answer, "cni", "gc", "--valid", "a,b/eth1");
    }

    private List<Boolean> dryRuns() {
        return received(CniGcRequest.class).stream()
                .map(CniGcRequest::getDryRun)
                .toList();
    }

    @Test
    void nothingEndsUnasked() {
        TestShell.Result result = run("cni gc --valid a");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("cni gc failed: it has to be confirmed")
                .endsWith("Add --yes\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void theQuestionNamesWhatWouldEndAndANoChangesNothing() {
        TestShell.Result result = asked("n");

        assertThat(result.err())
                .isEqualTo("End 1 lease (default/web-1) and disconnect 1 connection without one?"
                        + " A pod that runs loses its network. [y/N] ");
        assertThat(result.out()).isEqualTo("nothing was changed\n");
        assertThat(dryRuns()).containsExactly(true);
    }

    @Test
    void aYesEndsItAfterTheLook() {
        TestShell.Result result = asked("y");

        assertThat(result.status()).isZero();
        assertThat(result.out())
                .startsWith("examined 2 leases, collected 1")
                .endsWith("disconnected container 4711, interface eth0, which has no lease\n");
        assertThat(dryRuns()).containsExactly(true, false);
        assertThat(received(CniGcRequest.class).get(0).getValidList())
                .containsExactly(
                        CniAttachment.newBuilder().setContainer("a").build(),
                        CniAttachment.newBuilder()
                                .setContainer("b")
                                .setIfname("eth1")
                                .build());
    }

    @Test
    void whereNothingWouldEndNobodyIsAsked() {
        daemon.answer(
                CniGcRequest.class,
                CniGcReply.newBuilder()
                        .setReport(GcReport.newBuilder().setDryRun(true).setExamined(3))
                        .build());

        TestShell.Result result = asked("y");

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("examined 3 leases, would collect 0");
        assertThat(dryRuns()).containsExactly(true);
    }

    @Test
    void withoutAListTheApiServerIsAskedAsEver() {
        assertThat(run("cni gc").status()).isZero();
        assertThat(received(RunGcRequest.class)).hasSize(1);
        assertThat(received(CniGcRequest.class)).isEmpty();
    }
}
