package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeFormatTest {
    @ParameterizedTest
    @CsvSource({
        "PT-5S, 0s",
        "PT0S, 0s",
        "PT59.9S, 59s",
        "PT60S, 1m",
        "PT59M59S, 59m",
        "PT1H, 1h",
        "PT47H, 47h",
        "PT48H, 2d"
    })
    void aSpanIsOneFigure(Duration span, String text) {
        assertThat(TimeFormat.span(span)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, under 1 ms", "1, 1 ms", "999, 999 ms", "1000, 1.0 s", "12340, 12.3 s"})
    void whatSomethingTookHasItsUnit(long millis, String text) {
        assertThat(TimeFormat.took(Durations.fromMillis(millis))).isEqualTo(text);
    }

    @Test
    void timeLeftIsRoundedUp() {
        Timestamp until = Timestamp.newBuilder().setSeconds(100).setNanos(1).build();

        assertThat(TimeFormat.left(until, Instant.ofEpochSecond(99))).isEqualTo("1s");
        assertThat(TimeFormat.left(until, Instant.ofEpochSecond(200))).isEqualTo("0s");
    }
}
