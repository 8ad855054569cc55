package io.enipam.emulator.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LatencySpecTest {
    @Test
    void theWordsStandForThemselves() {
        assertThat(LatencySpec.parse("none")).isEqualTo(LatencySpec.none());
        assertThat(LatencySpec.parse("REAL")).isEqualTo(LatencySpec.real());
    }

    @Test
    void whatIsNotInTheListIsAsTheWordSays() {
        LatencySpec spec = LatencySpec.parse("real, assign=200ms..400ms ,attaching=1.5s");

        assertThat(spec.ranges().get("assign"))
                .isEqualTo(new LatencySpec.Range(Duration.ofMillis(200), Duration.ofMillis(400)));
        assertThat(spec.ranges().get("attaching").least()).isEqualTo(Duration.ofMillis(1500));
        assertThat(spec.ranges().get("create"))
                .isEqualTo(LatencySpec.real().ranges().get("create"));
        assertThat(LatencySpec.parse("deleting=2m").ranges().keySet()).containsExactly("deleting");
    }

    @Test
    void durationsAreDrawnFromTheRangeBothEndsIncluded() {
        LatencyProfile profile = LatencyProfile.of(LatencySpec.parse("assign=1ms..3ms,metadata=5ms"), 1);

        assertThat(Stream.generate(() -> profile.ofCall("AssignPrivateIpAddresses"))
                        .limit(200)
                        .distinct())
                .containsExactlyInAnyOrder(Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(3));
        assertThat(profile.ofMetadata()).isEqualTo(Duration.ofMillis(5));
        assertThat(profile.ofStatus(EniStatus.ATTACHING)).isZero();
        assertThat(profile.ofStatus(EniStatus.IN_USE)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "AssignIpv6Addresses, assign",
        "UnassignPrivateIpAddresses, unassign",
        "CreateNetworkInterface, create",
        "TagResources, modify",
        "UntagResources, modify",
        "ModifyNetworkInterfaceAttribute, modify",
        "ListTagResources, describe",
        "DescribeInstances, describe"
    })
    void everyActionIsOfAKind(String action, String kind) {
        assertThat(LatencySpec.kindOf(action)).isEqualTo(kind);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "slow",
                "assign=1s,real",
                "assign",
                "assign=",
                "assign=200",
                "assign=-1s",
                "assign=2s..1s",
                "assign=1s..",
                "assign=11m",
                "assign=1s,,",
                "sleep=1s"
            })
    void whatMakesNoSenseIsToldWithWhatIsAllowed(String text) {
        assertThatThrownBy(() -> LatencySpec.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("latency '" + text + "': ")
                .hasMessageContaining("kinds are describe, create, attach");
    }
}
