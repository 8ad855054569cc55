package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands, calls and meters as plugins declare them. */
class CommandSpecTest {
    private static final Setting<String> IP = Setting.text("ip", "an address", "[0-9.]+", "");
    private static final Setting<Integer> ABOVE = Setting.wholeNumber("above", 0, 100, 7);
    private static final Setting<List<String>> WORDS = Setting.texts("words", "words", "[a-z]+", 3, List.of());
    private static final CommandSpec RELEASE =
            CommandSpec.destroy("Gives back.", "host", "release").operand(IP).option(ABOVE);

    @Test
    void aCallHasWhatWasTypedAndTheDefaultsOfTheRest() {
        Call call = Call.of(RELEASE, Map.of("ip", List.of("10.0.0.5")), true);

        assertThat(call.arguments().get(IP)).isEqualTo("10.0.0.5");
        assertThat(call.arguments().get(ABOVE)).isEqualTo(7);
        assertThat(call.dryRun()).isTrue();
        assertThat(Call.of(CommandSpec.read("Reads.", "host", "ranges"), Map.of(), true)
                        .dryRun())
                .isFalse();
    }

    @Test
    void aCallIsRefusedForWhatIsMissingOrNotAllowed() {
        assertThatThrownBy(() -> Call.of(RELEASE, Map.of(), false)).hasMessageContaining("ip: it is missing");
        assertThatThrownBy(() -> Call.of(RELEASE, Map.of("ip", List.of("x"), "no", List.of("1")), false))
                .hasMessageContaining("ip: 'x' is not allowed")
                .hasMessageContaining("no: there is no such setting");
    }

    @ParameterizedTest
    @ValueSource(strings = {"alone", "a b c d e", "a B", "a -b", "a \u001b[2J"})
    void aPathHasTwoToFourPlainWords(String path) {
        assertThatThrownBy(() -> CommandSpec.read("Reads.", path.split(" ")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aParameterHasANameOfItsOwnAndNoSecret() {
        assertThatThrownBy(() -> RELEASE.option(IP)).hasMessageContaining("the name ip is taken");
        assertThatThrownBy(() -> RELEASE.option(Setting.flag("dry_run", false))).hasMessageContaining("is taken");
        assertThatThrownBy(() -> RELEASE.option(IP.secret())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() ->
                        RELEASE.option(Setting.text("key", "a key", ".*", "").secret()))
                .hasMessageContaining("key is secret");
        assertThatThrownBy(() ->
                        CommandSpec.read("Reads.", "a", "b").operand(WORDS).operand(IP))
                .hasMessageContaining("words is a list, and not the last operand");
    }

    @ParameterizedTest
    @ValueSource(strings = {"grants_total", "info", "x_bucket", "Grants", "a__b", "a_", "1a"})
    void aMeterHasANameThatPrometheusGivesNoMeaning(String name) {
        assertThatThrownBy(() -> Meter.of(name, "Help.")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMeterHasAFewLabels() {
        assertThat(Meter.of("wait_seconds", "Help.", "range", "family").labels())
                .containsExactly("range", "family");
        assertThatThrownBy(() -> Meter.of("a", "Help.", "plugin")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Meter.of("a", "Help.", "b", "b")).hasMessageContaining("all different");
        assertThatThrownBy(() -> PluginEvent.info("no type", "", "")).isInstanceOf(IllegalArgumentException.class);
    }
}
