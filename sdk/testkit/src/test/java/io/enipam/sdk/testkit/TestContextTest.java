package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestContextTest {
    private static final Setting<Integer> WARM = Setting.wholeNumber("warm", 0, 100, 5);

    @Test
    void settingsAreCheckedAsTheDaemonChecksThem() {
        TestContext.Builder builder = TestContext.builder().settings(List.of(WARM));
        assertThat(builder.build().settings().get(WARM)).isEqualTo(5);
        assertThat(builder.value("warm", "7").build().settings().get(WARM)).isEqualTo(7);
        builder.value("warm", "many");
        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("warm: 'many'");
    }

    @Test
    void aLiveSettingChangesAndNoOther() {
        Setting<Integer> live = Setting.wholeNumber("most", 0, 100, 5).live();
        TestContext context = TestContext.builder()
                .settings(List.of(WARM, live))
                .value("warm", "7")
                .build();

        context.change("most", "9");

        assertThat(context.settings().get(live)).isEqualTo(9);
        assertThat(context.settings().get(WARM)).isEqualTo(7);
        assertThatIllegalArgumentException().isThrownBy(() -> context.change("warm", "8"));
        assertThatIllegalArgumentException().isThrownBy(() -> context.change("most", "101"));
        assertThat(context.settings().get(live)).isEqualTo(9);
    }

    @Test
    void theDirectoryIsTheOneGivenOrANewOne(@TempDir Path scratch) {
        assertThat(TestContext.builder().directory(scratch).build().directory()).isEqualTo(scratch);
        assertThat(TestContext.builder().build().directory()).isEmptyDirectory();
    }

    @Test
    void anotherFactoryIsOpenedByItsName(@TempDir Path scratch) {
        TestContext inner = TestContext.builder().directory(scratch).build();
        TestContext context = TestContext.builder()
                .directory(scratch)
                .factory("sound", () -> new SoundFactory(new InMemoryProvider(), inner))
                .build();
        try (ResourceFactory first = context.factory("sound");
                ResourceFactory second = context.factory("sound")) {
            assertThat(first).isNotSameAs(second);
        }
        assertThatExceptionOfType(FactoryException.class)
                .isThrownBy(() -> context.factory("eni-ip"))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED));
    }

    @Test
    void aClockStandsOrRunsAndCanBeMovedEitherWay() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        TestClock clock = TestClock.at(start);
        TestClock abroad = clock.withZone(ZoneId.of("Asia/Shanghai"));
        clock.move(Duration.ofMinutes(5));
        assertThat(abroad.instant()).isEqualTo(start.plusSeconds(300));
        abroad.move(Duration.ofMinutes(-6));
        assertThat(clock.instant()).isEqualTo(start.minusSeconds(60));
        assertThat(TestClock.running().instant())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    }
}
