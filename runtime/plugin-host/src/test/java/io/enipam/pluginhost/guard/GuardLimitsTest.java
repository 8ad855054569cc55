package io.enipam.pluginhost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What plugin authors are told of the breaker is the rule that is in force. */
class GuardLimitsTest {
    private static final Path SDK = Path.of("../../sdk/api/src/main/java/io/enipam/sdk");

    @Test
    void theBreakerOpensAfterFiveFailuresOfTwenty() {
        assertThat(GuardLimits.DEFAULT.breaker()).isEqualTo(new GuardLimits.BreakerRule(5, 20, Duration.ofSeconds(10)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"package-info.java", "ResourceFactory.java", "PoolPolicy.java"})
    void theJavadocSaysSo(String file) throws IOException {
        assertThat(Files.readString(SDK.resolve(file)).replaceAll("\\s+\\*?\\s*", " "))
                .containsPattern("Five (failed calls|bad answers) of the last twenty")
                .contains("10 s");
    }
}
