package io.enipam.shell.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplaysTest {
    /** The estimate is left out where it says nothing yet. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"part\":0.01,\"etaSeconds\":90}|1 %",
                "{\"part\":0.25,\"etaSeconds\":90}|25 %, 1m left",
                "{\"part\":0,\"etaSeconds\":90,\"started\":3,\"nodes\":1000}|3 of 1000 nodes have started",
                "{\"part\":0,\"etaSeconds\":90,\"started\":400,\"nodes\":1000}|400 of 1000 nodes have started, the trace begins in 1m"
            })
    void progressSaysHowFarItIsAndHowLongTheRestTakes(String progress, String said) {
        assertThat(Replays.far(JsonParser.parseString(progress).getAsJsonObject()))
                .isEqualTo(said);
    }
}
