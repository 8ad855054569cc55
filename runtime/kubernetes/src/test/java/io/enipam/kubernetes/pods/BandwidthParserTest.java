package io.enipam.kubernetes.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.enipam.kubernetes.pods.ManifestParser.BandwidthParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BandwidthParserTest {
    @ParameterizedTest
    @CsvSource({
        "100,100",
        "100B,100",
        "1K,1024",
        "1KB,1024",
        "1KiB,1024",
        "10M,10485760",
        "10m,10485760",
        "1.5G,1610612736",
        " 2 T ,2199023255552",
        "1024T,1125899906842624"
    })
    void terwaysUnitsArePowersOf1024(String text, long bytes) {
        assertThat(BandwidthParser.parseTerway(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "M",
                "-1M",
                "0",
                "0.5",
                "10X",
                "10MM",
                "1e9",
                "1025T",
                "9999999999999999",
                "NaN",
                "10 M M"
            })
    void aRateThatTerwayWouldHaveDiedOfIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> BandwidthParser.parseTerway(text));
    }

    @ParameterizedTest
    @CsvSource({"8,1", "10M,1250000", "1Gi,134217728", "8k,1000", "12,1"})
    void kubernetesCountsBits(String text, long bytes) {
        assertThat(BandwidthParser.parseQuantity(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "M", "-8", "0", "7", "10Q", "1e400", "1e999999999", "1e-999999999", "ten"})
    void whatIsNoQuantityIsRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> BandwidthParser.parseQuantity(text));
    }

    @Test
    void aNumberThatTakesSecondsToReadIsRefusedUnread() {
        String digits = "1".repeat(250_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BandwidthParser.parseQuantity(digits))
                .withMessage("it has 250000 characters, and may have 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BandwidthParser.parseTerway(digits))
                .withMessageContaining("may have 64");
    }
}
