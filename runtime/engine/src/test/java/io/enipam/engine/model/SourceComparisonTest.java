package io.enipam.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.SourceComparison.Match;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SourceComparisonTest {
    @Test
    void whatOneSourceAloneHasIsToldFromWhatBothHave() {
        SourceComparison<String, Integer> compared = SourceComparison.of(
                List.of("3", "1", "2"), Integer::parseInt, List.of(2, 5, 3, 4), Function.identity());

        assertThat(compared.left()).containsExactly("1");
        assertThat(compared.right()).containsExactly(5, 4);
        assertThat(compared.both()).containsExactly(new Match<>("3", 3), new Match<>("2", 2));
    }

    @Test
    void aSourceThatSaysTheSameTwiceIsMatchedEachTime() {
        SourceComparison<String, Integer> compared =
                SourceComparison.of(List.of("1", "1"), Integer::parseInt, List.of(1, 1), Function.identity());

        assertThat(compared.left()).isEmpty();
        assertThat(compared.right()).isEmpty();
        assertThat(compared.both()).hasSize(2);
    }
}
