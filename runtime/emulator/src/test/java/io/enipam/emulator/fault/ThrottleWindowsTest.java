package io.enipam.emulator.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.fault.ThrottleLimits.ThrottleWindows;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThrottleWindowsTest {
    private static final Instant MINUTE = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void whatIsExhaustedStaysRefusedUntilTheNextMinuteBegins() {
        ThrottleWindows windows = new ThrottleWindows(ThrottleLimits.parse("Assign=2"));

        assertThat(admitted(windows, "Assign", 5, MINUTE.plusSeconds(1))).isEqualTo(2);
        assertThat(windows.admits("Assign", MINUTE.plusMillis(59_999))).isFalse();
        assertThat(admitted(windows, "Assign", 5, MINUTE.plusSeconds(60))).isEqualTo(2);
    }

    @Test
    void theWindowIsTheClocksMinuteAndNoSlidingOne() {
        ThrottleWindows windows = new ThrottleWindows(ThrottleLimits.parse("Assign=2"));

        assertThat(admitted(windows, "Assign", 2, MINUTE.plusSeconds(59))).isEqualTo(2);
        assertThat(admitted(windows, "Assign", 2, MINUTE.plusSeconds(60))).isEqualTo(2);
    }

    @Test
    void eachApiHasAWindowOfItsOwn() {
        ThrottleWindows windows = new ThrottleWindows(ThrottleLimits.parse("*=1,Describe=3"));

        assertThat(admitted(windows, "Attach", 5, MINUTE)).isEqualTo(1);
        assertThat(admitted(windows, "Detach", 5, MINUTE)).isEqualTo(1);
        assertThat(admitted(windows, "Describe", 5, MINUTE)).isEqualTo(3);
    }

    @Test
    void aClosedWindowOpensWithTheMinuteOrByHand() {
        ThrottleWindows windows = new ThrottleWindows(ThrottleLimits.none());
        windows.close("Attach", MINUTE);
        assertThat(windows.admits("Attach", MINUTE.plusSeconds(59))).isFalse();
        assertThat(windows.admits("Detach", MINUTE)).isTrue();
        assertThat(windows.admits("Attach", MINUTE.plusSeconds(60))).isTrue();

        windows.close("Attach", MINUTE.plusSeconds(61));
        windows.reopen();
        assertThat(windows.admits("Attach", MINUTE.plusSeconds(62))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"off|off", "Attach=5|Attach=5", "*=7, Attach=5|*=7,Attach=5", "Attach=0|Attach=0"})
    void limitsAreReadAsTheyAreWritten(String text, String written) {
        assertThat(ThrottleLimits.parse(text)).hasToString(written);
        assertThat(ThrottleLimits.parse(written)).isEqualTo(ThrottleLimits.parse(text));
    }

    @Test
    void someOfTheDefaultLimitsMayBeChanged() {
        ThrottleLimits limits = ThrottleLimits.parse("default,DescribeVSwitches=5");

        assertThat(limits.of("DescribeVSwitches")).hasValue(5);
        assertThat(limits.of("DescribeNetworkInterfaces")).hasValue(800);
        assertThat(limits.of("CreateNetworkInterface")).hasValue(500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "on", "Attach", "Attach=", "Attach=-1", "Attach=1,default", "Attach=1,,", "a b=1"})
    void whatIsNoLimitIsRefused(String text) {
        assertThatThrownBy(() -> ThrottleLimits.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no limit");
    }

    private static long admitted(ThrottleWindows windows, String api, int calls, Instant now) {
        return IntStream.range(0, calls).filter(n -> windows.admits(api, now)).count();
    }
}
