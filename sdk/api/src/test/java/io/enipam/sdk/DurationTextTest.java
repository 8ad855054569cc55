package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "0,PT0S",
        "0s,PT0S",
        "250ms,PT0.25S",
        "1.5s,PT1.5S",
        "30s,PT30S",
        "5m,PT5M",
        "1h30m,PT1H30M",
        "90m,PT1H30M",
        "0.000000001s,PT0.000000001S",
        "999999999h,PT999999999H"
    })
    void readsWhatGoProgramsWrite(String text, Duration meant) {
        assertThat(DurationText.parse(text)).isEqualTo(meant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "5", "s", "-5s", "+5s", "5 s", "5S", "5us", "1d", ".5s", "5.s", "1h,30m", "1e3s", "٣s"})
    void refusesWhatIsNoDuration(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> DurationText.parse(text));
    }

    @Test
    void refusesALongTextSoon() {
        assertThatIllegalArgumentException().isThrownBy(() -> DurationText.parse("1s".repeat(100_000)));
    }

    @Test
    void showsTheShortestTextThatReadsBack() {
        assertThat(DurationText.show(Duration.ZERO)).isEqualTo("0s");
        assertThat(DurationText.show(Duration.ofMinutes(90))).isEqualTo("1h30m");
        assertThat(DurationText.show(Duration.ofMillis(61_250))).isEqualTo("1m1s250ms");
    }

    @Test
    void whatIsShownReadsBackToTheMillisecond() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            Duration duration = Duration.ofMillis(random.nextLong(0, 1L << random.nextInt(1, 48)));
            assertThat(DurationText.parse(DurationText.show(duration))).isEqualTo(duration);
        }
    }

    @Test
    void whatIsBelowAMillisecondReadsBackAsZero() {
        assertThat(DurationText.parse(DurationText.show(Duration.ofNanos(999_999))))
                .isZero();
    }
}
