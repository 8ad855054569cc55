package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.lab.replay.ScenarioEvent.QuotaCut;
import io.enipam.lab.replay.ScenarioEvent.RollingUpgrade;
import io.enipam.lab.replay.ScenarioEvent.ZoneOutage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScenarioEventTest {
    @Test
    void eachKindIsReadWithItsKeysInAnyOrder() {
        assertThat(ScenarioEvent.parse("rolling-upgrade(batch=5, at=2h, every=10m, down=90s)"))
                .isEqualTo(new RollingUpgrade(Duration.ofHours(2), 5, Duration.ofMinutes(10), Duration.ofSeconds(90)));
        assertThat(ScenarioEvent.parse("zone-outage(at=0s,for=1d)"))
                .isEqualTo(new ZoneOutage(Duration.ZERO, Duration.ofDays(1), ""));
        assertThat(ScenarioEvent.parse("quota-cut(at=1h,for=30m,api=AssignPrivateIpAddresses,limit=0)"))
                .isEqualTo(new QuotaCut(Duration.ofHours(1), Duration.ofMinutes(30), "AssignPrivateIpAddresses", 0));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "flood|'flood' is no event; write NAME(key=value,...)",
                "flood(at=1h)|there is no event flood; there are quota-cut, rolling-upgrade and zone-outage",
                "zone-outage(at=1h)|'for' is missing",
                "zone-outage(at=1h,for)|'for' is no key=value",
                "zone-outage()|'' is no key=value",
                "zone-outage(at=1h,at=2h)|'at' is given twice",
                "zone-outage(at=1h,for=0s)|for is '0s', and has to be more than 0",
                "zone-outage(at=-1h,for=1h)|at is '-1h'; give a time up to 31d, as in 90s, 5m or 2h",
                "zone-outage(at=1h,for=32d)|for is '32d'; give a time",
                "zone-outage(at=1h,for=1h,vswitch=x)|there is no 'vswitch'; there are at, for, zone",
                "rolling-upgrade(at=1h,batch=0,every=1m,down=1m)|batch is '0'; give a whole number from 1 to 10000",
                "quota-cut(at=1h,for=1h,api=Assign,limit=1)|there is no action Assign; there are ",
                "quota-cut(at=1h,for=1h,api=DescribeVSwitches,limit=x)|limit is 'x'; give a whole number from 0"
            })
    void whatIsWrongIsToldWithWhatWouldBeRight(String text, String says) {
        assertThatThrownBy(() -> ScenarioEvent.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(says);
    }
}
