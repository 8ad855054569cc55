package io.enipam.shell.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.v1.StartupStep;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartupViewsTest {
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
        NodeViews.startup(List.of(steps), table);
        return table.lines(Palette.PLAIN);
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
