package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
    @Test
    void everySettingHasARowFromTheTableThatChecksIt() {
        List<String> lines = ConfigReference.markdown(KnownPlugins.none());

        assertThat(lines)
                .contains(
                        "## `enipam.yaml`",
                        "| `pool.min_idle` | `0 (sandbox: 2)` | a whole number, 0 to 10000 (addresses) | Lower watermark:"
                                + " addresses are made when fewer are idle. |")
                .hasSizeGreaterThan(Schema.ALL.size());
        Schema.ALL.forEach(
                setting -> assertThat(lines).anyMatch(line -> line.startsWith("| `" + setting.key() + "` |")));
    }

    @Test
    void settingsOfPluginsStandUnderTheirIdAndBreakNoTable() {
        Setting<String> odd = Setting.choice("mode", List.of("a|b", "c"), "c").doc("First.\nSecond | third.");

        assertThat(ConfigReference.markdown(new KnownPlugins(
                        List.of(new KnownPlugins.Plugin("odd-one", List.of(odd), Set.of(), Set.of(), Set.of())),
                        Set.of(),
                        Set.of(),
                        Set.of())))
                .containsSequence("## `plugins.odd-one` in `enipam.yaml`", "")
                .endsWith("| `mode` | `c` | one of a\\|b, c | First. Second \\| third. |");
    }
}
