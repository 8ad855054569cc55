package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final Setting<Integer> WARM = Setting.wholeNumber("warm", 0, 100, 5);
    private static final Setting<String> KEY =
            Setting.text("key", "8 letters or more", "[a-z]{8,}", "").secret();
    private static final List<Setting<?>> SCHEMA = List.of(WARM, KEY);

    @Test
    void whatIsNotWrittenHasItsDefault() {
        assertThat(Settings.usual(SCHEMA).get(WARM)).isEqualTo(5);
        assertThat(Settings.of(SCHEMA, Map.of("warm", List.of("7"))).get(WARM)).isEqualTo(7);
    }

    @Test
    void allProblemsAreToldAtOnceOneALine() {
        Map<String, List<String>> written =
                Map.of("warm", List.of("many"), "key", List.of("short"), "cold", List.of("1"), "arm", List.of("2"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(SCHEMA, written))
                .satisfies(e -> assertThat(e.getMessage().lines())
                        .containsExactly(
                                "warm: 'many' is not allowed; allowed is a whole number, 0 to 100",
                                "key: '***' is not allowed; allowed is 8 letters or more",
                                "arm: there is no such setting",
                                "cold: there is no such setting"));
    }

    @Test
    void aSecretThatIsRefusedIsNotTold() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(SCHEMA, Map.of("key", List.of("hunter2"))))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void aSettingIsKnownByItselfAndNotByItsName() {
        Setting<Integer> twin = Setting.wholeNumber("warm", 0, 100, 5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.usual(SCHEMA).get(twin))
                .withMessageContaining("warm");
    }

    @Test
    void settingsDoNotChangeWithTheMapTheyWereReadFrom() {
        Map<String, List<String>> written = new HashMap<>();
        List<String> texts = new ArrayList<>(List.of("7"));
        written.put("warm", texts);
        Settings settings = Settings.of(SCHEMA, written);
        texts.set(0, "8");
        written.clear();
        assertThat(settings.get(WARM)).isEqualTo(7);
    }
}
