package io.enipam.shell.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.enipam.shell.CannedReplies;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.PendingValue;
import io.enipam.v1.StartupStep;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeCommandsTest {
    private static final RenderContext PLAIN = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);

    private static List<String> cells(ConfigEntry entry) {
        return NodeCommands.CONFIG.columns(true).stream()
                .map(column -> column.cell().apply(entry, PLAIN).text())
                .toList();
    }

    @Test
    void aValueThatWaitsForARestartIsShownBesideTheOneInForce() {
        ConfigEntry entry = CannedReplies.config("max_eni", "4", "eni.json", "Upper bound.");
        assertThat(cells(entry)).containsExactly("max_eni", "4", "eni.json", "Upper bound.");

        PendingValue waiting = PendingValue.newBuilder()
                .setValue("2")
                .setSource("configmap kube-system/gpu")
                .build();
        assertThat(cells(entry.toBuilder().setPending(waiting).build()))
                .containsExactly(
                        "max_eni", "4", "eni.json", "After a restart: 2, of configmap kube-system/gpu. Upper bound.");
    }

    private static StartupStep step(String words, String state, long millis, String detail) {
        return StartupStep.newBuilder()
                .setWords(words)
                .setState(state)
                .setTook(Durations.fromMillis(millis))
                .setDetail(detail)
                .build();
    }

    private static List<String> lines(StartupStep... steps) {
        Table table = Table.details();
        NodeCommands.startup(List.of(steps), table);
        return table.lines(PLAIN);
    }

    @Test
    void aStartUpThatLastsTellsEveryStepAndWhatItWaitsFor() {
        assertThat(lines(
                        step("open the database", "DONE", 2, "3 leases"),
                        step("list the cloud", "RUNNING", 31_000, "no route; next try in 8000 ms"),
                        step("list the kernel", "WAITING", 0, "")))
                .containsExactly(
                        "start-up  open the database, 2 ms: 3 leases",
                        "          list the cloud, for 31.0 s now: no route; next try in 8000 ms",
                        "          list the kernel");
    }

    @Test
    void aStartUpThatWillNotEndSaysSo() {
        assertThat(lines(step("list the cloud", "HALTED", 900, "the database is of instance i-2")))
                .containsExactly("start-up  list the cloud, halted after 900 ms: the database is of instance i-2");
    }

    @Test
    void aStartUpThatIsOverIsOneLineWithWhatTookLong() {
        assertThat(lines(
                        step("open the database", "DONE", 2, ""),
                        step("list the cloud", "DONE", 900, ""),
                        step("list the pods", "DONE", 400, "")))
                .containsExactly("start-up  took 1.3 s: list the cloud 900 ms, list the pods 400 ms");
    }
}
