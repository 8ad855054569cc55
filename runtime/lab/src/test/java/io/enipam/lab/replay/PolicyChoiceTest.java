package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyChoiceTest {
    @Test
    void aNameAloneSaysNothingOfThePool() {
        PolicyChoice choice = PolicyChoice.parse("watermark");
        assertThat(choice.name()).isEqualTo("watermark");
        assertThat(choice.pool().min()).isEmpty();
        assertThat(choice.own()).isEmpty();
        assertThat(choice.jar()).isEmpty();
    }

    @Test
    void settingsOfThePoolAreToldFromThoseOfThePolicy() {
        PolicyChoice choice = PolicyChoice.parse("warm-target(min=5, max=10,cool_down=0s,warm_ip_target=8)");
        assertThat(choice.pool())
                .isEqualTo(new PolicyChoice.Pool(
                        OptionalInt.of(5), OptionalInt.of(10), OptionalInt.empty(), Optional.of(Duration.ZERO)));
        assertThat(choice.own()).isEqualTo(Map.of("warm_ip_target", "8"));
    }

    @Test
    void aJarIsNamedBeforeThePolicy() {
        PolicyChoice choice = PolicyChoice.parse("some/my.jar:mine(a=b)");
        assertThat(choice.jar()).contains(Path.of("some/my.jar"));
        assertThat(choice.name()).isEqualTo("mine");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Watermark|is no policy; write NAME, NAME(setting=value,...) or FILE.jar:NAME",
                "watermark(|is no policy",
                "watermark(min)|'min' in 'watermark(min)' is no setting; write NAME=VALUE",
                "watermark(min=1,min=2)|'min' is given twice",
                "watermark(min=-1)|min is '-1'; give a whole number from 0 to 10000",
                "watermark(capacity=0)|capacity is '0'; give a whole number from 1 to 10000",
                "watermark(min=7,max=3)|min is above max",
                "watermark(cool_down=2h)|cool_down is '2h'; give whole seconds"
            })
    void whatIsWrongIsToldWithWhatWouldBeRight(String text, String says) {
        assertThatThrownBy(() -> PolicyChoice.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(says);
    }
}
