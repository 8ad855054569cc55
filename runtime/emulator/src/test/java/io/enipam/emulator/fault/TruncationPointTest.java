package io.enipam.emulator.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.fault.Effect.TruncationPoint;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TruncationPointTest {
    private static final String JSON = "{\"a\":\"b\\\"c\",\"n\":[1]}";

    @Test
    void aCutInAStringLeavesItOpenWhateverIsDrawn() {
        assertThat(cuts(TruncationPoint.STRING, JSON))
                .containsExactlyInAnyOrder(
                        "{\"",
                        "{\"a",
                        "{\"a\":\"",
                        "{\"a\":\"b",
                        "{\"a\":\"b\\",
                        "{\"a\":\"b\\\"",
                        "{\"a\":\"b\\\"c",
                        "{\"a\":\"b\\\"c\",\"",
                        "{\"a\":\"b\\\"c\",\"n");
    }

    @Test
    void aCutElsewhereIsOutsideOfStringsAndLosesSomething() {
        assertThat(cuts(TruncationPoint.ELSEWHERE, JSON))
                .contains("{", "{\"a\"", "{\"a\":", "{\"a\":\"b\\\"c\",\"n\":[1]")
                .doesNotContain(JSON, "{\"a", "");
    }

    @Test
    void aCutNeverPartsASurrogatePair() {
        assertThat(cuts(TruncationPoint.STRING, "{\"a\":\"\uD83D\uDE00\"}"))
                .noneMatch(part -> Character.isHighSurrogate(part.charAt(part.length() - 1)));
    }

    @Test
    void whatIsNotJsonIsCutInTheMiddleAndTheStartIsTheStart() {
        assertThat(TruncationPoint.STRING.in("<Error/>", 5)).isEqualTo(4);
        assertThat(TruncationPoint.START.in(JSON, 5)).isZero();
        assertThat(TruncationPoint.STRING.in("{}", 5)).isEqualTo(1);
    }

    private static TreeSet<String> cuts(TruncationPoint at, String text) {
        TreeSet<String> cuts = new TreeSet<>();
        LongStream.range(-50, 50).forEach(draw -> cuts.add(text.substring(0, at.in(text, draw))));
        return cuts;
    }
}
