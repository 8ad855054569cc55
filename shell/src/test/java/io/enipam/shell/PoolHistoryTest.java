package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pictures of the pool's past. */
class PoolHistoryTest extends AttachedShell {
    @TempDir
    Path pages;

    @BeforeEach
    void recordHistory() {
        withHistory();
    }

    @Test
    void thePlotIsOfAllSamplesAndJsonStaysJson() {
        TestShell.Result plot = program("pool", "history", "--plot");

        assertThat(plot.err()).isEmpty();
        assertThat(plot.out()).startsWith("the last 9m, ").contains("in use ", "waiting ", "cloud/s ");
        assertThat(program("pool", "history", "--plot", "-o", "json").out()).startsWith("{");
    }

    @Test
    void thePlotOfASpanIsAsLongAsTheSpan() {
        assertThat(program("pool", "history", "--plot", "--since", "3h").out()).startsWith("the last 3h, ");
    }

    @Test
    void thePageIsWrittenOnceAndReplacedOnDemand() throws Exception {
        String file = pages.resolve("pool.html").toString();

        TestShell.Result made = program("pool", "history", "--html", file);

        assertThat(made.out()).isEqualTo("wrote " + CannedSamples.SAMPLES + " samples to " + file + "\n");
        assertThat(Files.readString(Path.of(file)))
                .startsWith("<!DOCTYPE html>")
                .contains(
                        "The pool of " + CannedReplies.status().getNode(), "data-name=\"in use\"", "default-src 'none'")
                .endsWith("</html>\n");
        TestShell.Result again = program("pool", "history", "--html", file);
        assertThat(again.status()).isNotZero();
        assertThat(again.err()).contains("--force");
        assertThat(program("pool", "history", "--html", file, "-f").status()).isZero();
    }

    @Test
    void aPageIsNoTable() {
        String file = pages.resolve("pool.html").toString();

        for (String other : new String[] {"--plot", "--output=json", "--watch"}) {
            TestShell.Result refused = program("pool", "history", "--html", file, other);
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.err()).contains("--html writes a page");
        }
        assertThat(Path.of(file)).doesNotExist();
    }
}
