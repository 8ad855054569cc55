package io.enipam.sdk.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.cluster.LabelSelector.Operator;
import io.enipam.sdk.cluster.LabelSelector.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {
    private static final Map<String, String> LABELS =
            Map.of("pool", "a", "zone", "x-1", "cores", "8", "topology.kubernetes.io/zone", "z", "empty", "");

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "''|true",
                "pool=a|true",
                "pool==a|true",
                "pool = b|false",
                "pool!=b|true",
                "none!=b|true",
                "pool!=a|false",
                "pool in (a, b)|true",
                "pool in (b)|false",
                "none in (a)|false",
                "pool notin (b,c)|true",
                "none notin (a)|true",
                "pool notin (a)|false",
                "pool|true",
                "none|false",
                "!none|true",
                "! pool|false",
                "empty=|true",
                "cores>7|true",
                "cores>8|false",
                "cores<9|true",
                "pool>1|false",
                "cores<9223372036854775807|true",
                "cores>-9223372036854775808|true",
                "cores>000000000000000000000007|true",
                "none<1|false",
                "topology.kubernetes.io/zone=z|true",
                "pool in (a,b), zone=x-1,!none , cores>4|true",
                "pool in (a,b), zone=x-2|false"
            })
    void aSelectorMatchesAsKubectlDoes(String text, boolean matches) {
        assertThat(LabelSelector.parse(text).matches(LABELS)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pool=a,",
                ",",
                "pool in a",
                "pool in (a",
                "=a",
                "pool=a b",
                "pool ~ a",
                "cores>many",
                "cores>9223372036854775808",
                "a b"
            })
    void whatIsNoSelectorIsRefused(String text) {
        assertThatThrownBy(() -> LabelSelector.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRequirementNeedsTheValuesOfItsOperator() {
        for (Operator operator : List.of(Operator.IN, Operator.NOT_IN, Operator.GREATER, Operator.LESS)) {
            assertThatThrownBy(() -> new Requirement("pool", operator, List.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new Requirement("pool", Operator.EXISTS, List.of("a")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
