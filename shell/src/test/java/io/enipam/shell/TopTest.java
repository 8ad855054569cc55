package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.v1.GetStatusRequest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code top} where there is no terminal. */
class TopTest extends AttachedShell {
    @BeforeEach
    void recordHistory() {
        withHistory();
    }

    @Test
    void oneFrameIsPlainTextForAScript() {
        TestShell.Result result = program("top", "-n", "1", "--ascii");

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out())
                .contains("POOL  eni-ip", "in use", "CALLS", "EVENTS")
                .doesNotContain("\u001b");
    }

    @Test
    void framesAreSeparatedAndTheLastOneEndsTheCommand() {
        TestShell.Result result = program("top", "-n", "3", "-d", "0.1", "--ascii");

        assertThat(result.status()).isZero();
        assertThat(result.out().split("POOL  eni-ip", -1)).hasSize(4);
    }

    @Test
    void aFrameAsJsonHasTheSamplesAndTheNextOneOnlyWhatIsNew() {
        TestShell.Result one = program("top", "-n", "1", "-o", "json");
        JsonObject frame = JsonParser.parseString(one.out()).getAsJsonObject();
        assertThat(frame.getAsJsonArray("samples")).hasSize(CannedSamples.SAMPLES);
        assertThat(frame.getAsJsonObject("status").get("node").getAsString())
                .isEqualTo(CannedReplies.status().getNode());

        TestShell.Result two = program("top", "-n", "2", "-d", "0.1", "-o", "json");
        List<String> lines = two.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(JsonParser.parseString(lines.get(1)).getAsJsonObject().getAsJsonArray("samples"))
                .isEmpty();
    }

    @Test
    void aDaemonThatRefusesFromTheBeginningIsAnError() {
        refuse(GetStatusRequest.class, "PERMISSION_DENIED", "not you", "");

        TestShell.Result result = program("top", "-n", "1");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("top failed: not you");
    }

    @Test
    void senselessNumbersAreUsageErrors() {
        assertThat(program("top", "-n", "0").status()).isEqualTo(2);
        assertThat(program("top", "-n", "1", "-d", "0").status()).isEqualTo(2);
        assertThat(program("top", "-n", "1", "-d", "NaN").status()).isEqualTo(2);
    }
}
