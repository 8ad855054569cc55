package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ShellException;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MomentTest {
    private static final Instant NOW = Instant.parse("2026-11-27T06:00:00Z");
    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai"); // where it is 14:00

    @ParameterizedTest
    @CsvSource({
        "10m, 2026-11-27T05:50:00Z",
        "30d, 2026-10-28T06:00:00Z",
        "13:57, 2026-11-27T05:57:00Z",
        "13:57:30, 2026-11-27T05:57:30Z",
        "14:01, 2026-11-26T06:01:00Z",
        "2026-11-01T23:00:00Z, 2026-11-01T23:00:00Z",
        "2026-11-01T23:00:00+08:00, 2026-11-01T15:00:00Z"
    })
    void aTimeIsASpanBackATimeOfTheLast24HoursOrADate(String text, Instant expected) {
        assertThat(Moment.parse(text, NOW, SHANGHAI)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"25:00", "yesterday", "2026-11-01T23:00", "10", "4000d", ""})
    void anythingElseIsAUsageError(String text) {
        assertThatThrownBy(() -> Moment.parse(text, NOW, SHANGHAI)).isInstanceOf(ShellException.class);
    }

    @Test
    void aMomentOfAnotherDayIsShownWithItsDate() {
        assertThat(Moment.show(NOW, NOW, SHANGHAI)).isEqualTo("14:00:00");
        assertThat(Moment.show(Instant.parse("2026-11-26T06:00:00Z"), NOW, SHANGHAI))
                .isEqualTo("11-26 14:00");
        assertThat(Moment.show(Instant.parse("2025-11-26T06:00:00Z"), NOW, SHANGHAI))
                .isEqualTo("2025-11-26 14:00");
    }
}
