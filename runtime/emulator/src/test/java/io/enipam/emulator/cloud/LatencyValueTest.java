package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.emulator.cloud.Latency.LatencySampler;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LatencyValueTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none|none",
                "real|real",
                "REAL|real",
                "*=20ms|*=20ms",
                "none,*=1s-2s, metadata=0|*=1s-2s,metadata=0",
                "real,metadata=0, Own=1s|real,Own=1s,metadata=0",
                "attaching=90s|attaching=90s",
                "attaching=120s|attaching=2m",
                "describe=30s|describe=30s",
                "attach=1s..1500ms|AttachNetworkInterface=1s-1500ms",
                "unassign=5ms|UnassignIpv6Addresses=5ms,UnassignPrivateIpAddresses=5ms"
            })
    void itIsReadAsItIsWritten(String text, String written) {
        assertThat(Latency.parse(text)).hasToString(written);
        assertThat(Latency.parse(written)).isEqualTo(Latency.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "slow",
                "*",
                "*=",
                "*=1",
                "*=-1s",
                "*=2s-1s",
                "*=1s-2s-3s",
                "*=2h",
                "*=1s,real",
                "a b=1s",
                "sleep=1s",
                "attached=1s",
                "*=1s..",
                "*=1s..2s..3s",
                "*=1s,,"
            })
    void whatIsNoLatencyIsRefused(String text) {
        assertThatThrownBy(() -> Latency.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsDrawnLiesInTheRangeAndFollowsFromTheSeed() {
        Latency latency = Latency.parse("real,DescribeInstances=10ms-20ms");
        List<Duration> drawn = drawn(latency, 1);

        assertThat(drawn).allMatch(time -> time.toMillis() >= 10 && time.toMillis() <= 20);
        assertThat(drawn.stream().distinct().count()).isGreaterThan(5);
        assertThat(drawn(latency, 1)).isEqualTo(drawn);
        assertThat(drawn(latency, 2)).isNotEqualTo(drawn);
    }

    @Test
    void anActionThatIsNotNamedTakesWhatTheOthersTake() {
        LatencySampler profile = new LatencySampler(Latency.parse("*=7ms,deleting=3s"), 1);

        assertThat(profile.ofCall("Anything")).isEqualTo(Duration.ofMillis(7));
        assertThat(profile.ofStatus(EniStatus.DELETING)).isEqualTo(Duration.ofSeconds(3));
        assertThat(profile.ofStatus(EniStatus.ATTACHING)).isZero();
        assertThat(profile.ofMetadata()).isZero();
    }

    private static List<Duration> drawn(Latency latency, long seed) {
        LatencySampler profile = new LatencySampler(latency, seed);
        return IntStream.range(0, 200)
                .mapToObj(n -> profile.ofCall("DescribeInstances"))
                .toList();
    }
}
