package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListenAddressTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:9498,127.0.0.1,9498",
        "[::1]:9498,::1,9498",
        "[fe80::1]:0,fe80::1,0",
        ":9498,'',9498",
        "localhost:65535,localhost,65535",
        "metrics.node-1.example:80,metrics.node-1.example,80"
    })
    void anAddressIsReadAndShownAsItWasWritten(String text, String host, int port) {
        assertThat(ListenAddress.parse(text)).contains(new ListenAddress(host, port));
        assertThat(new ListenAddress(host, port)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "9498",
                "::1:9498",
                "[::1]",
                "[::g]:1",
                "[127.0.0.1]:1",
                "127.0.0.1:65536",
                "127.0.0.1:-1",
                "127.1:80",
                "1.2.3.256:80",
                "http://127.0.0.1:80",
                "a b:80",
                "-a:80",
                "127.0.0.1:80 ",
                "127.0.0.1:99999999999"
            })
    void whatIsNoAddressIsAnErrorOfTheConfiguration(String text) throws IOException {
        Path yaml = Files.writeString(directory.resolve("enipam.yaml"), "metrics:\n  listen: '" + text + "'\n");

        assertThatThrownBy(
                        () -> ConfigLoader.load(List.of(ConfigFile.named(yaml)), true, Map.of(), KnownPlugins.none()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("metrics.listen: ")
                .hasMessageContaining("is not allowed; allowed is host:port such as 127.0.0.1:9498");
    }

    @Test
    void metricsAreServedToThisHostAloneUnlessSaidOtherwiseAndASandboxServesNone() throws IOException {
        Path off = Files.writeString(directory.resolve("enipam.yaml"), "metrics:\n  listen: ''\n");

        assertThat(ConfigLoader.load(List.of(), false, Map.of(), KnownPlugins.none())
                        .get(Schema.METRICS_LISTEN))
                .contains(new ListenAddress("127.0.0.1", 9498));
        assertThat(ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none())
                        .get(Schema.METRICS_LISTEN))
                .isEmpty();
        assertThat(ConfigLoader.load(List.of(ConfigFile.named(off)), false, Map.of(), KnownPlugins.none())
                        .get(Schema.METRICS_LISTEN))
                .isEmpty();
    }
}
