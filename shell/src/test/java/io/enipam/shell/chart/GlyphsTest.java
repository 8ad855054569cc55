package io.enipam.shell.chart;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GlyphsTest {
    @Test
    void aBarIsFilledInProportion() {
        assertThat(Glyphs.ASCII.bar(0.5, 10)).isEqualTo("#####.....");
        assertThat(Glyphs.BLOCKS.bar(0.25, 2)).isEqualTo("▌·");
        assertThat(Glyphs.BLOCKS.bar(1, 3)).isEqualTo("███");
    }

    @Test
    void littleIsMoreThanNothingAndTooMuchIsFull() {
        assertThat(Glyphs.ASCII.bar(0.001, 10)).isEqualTo("#.........");
        assertThat(Glyphs.ASCII.bar(0, 10)).isEqualTo("..........");
        assertThat(Glyphs.ASCII.bar(7, 4)).isEqualTo("####");
        assertThat(Glyphs.ASCII.bar(Double.NaN, 4)).isEqualTo("....");
        assertThat(Glyphs.ASCII.bar(0.5, 0)).isEmpty();
    }

    @Test
    void aMarkStandsAtItsShare() {
        assertThat(Glyphs.ASCII.marked("..........", 0.3)).isEqualTo("...|......");
        assertThat(Glyphs.ASCII.marked("..........", 1.2)).isEqualTo("..........");
        assertThat(Glyphs.ASCII.marked("..........", 0)).isEqualTo("..........");
    }

    @Test
    void aChartGoesFromNothingToItsHighestAndLeavesHolesEmpty() {
        assertThat(Glyphs.BLOCKS.spark(0, 1, 8, Double.NaN, 4)).isEqualTo("▁▂█ ▅");
        assertThat(Glyphs.ASCII.spark(0, 0)).isEqualTo("__");
        assertThat(Glyphs.BLOCKS.spark()).isEmpty();
    }

    @Test
    void anAreaIsFilledFromBelow() {
        assertThat(Glyphs.BLOCKS.area(2, 16, 0, 1, 8, 12, 16, Double.NaN)).containsExactly("   ▄█ ", "▁▂███ ");
        assertThat(Glyphs.ASCII.area(1, 0, 0, 0)).containsExactly("__");
    }

    @Test
    void blocksNeedALocaleThatHasThem() {
        assertThat(Glyphs.of("UTF-8", "xterm")).isEqualTo(Glyphs.BLOCKS);
        assertThat(Glyphs.of("C.utf8", "")).isEqualTo(Glyphs.BLOCKS);
        assertThat(Glyphs.of("ANSI_X3.4-1968", "xterm")).isEqualTo(Glyphs.ASCII);
        assertThat(Glyphs.of("UTF-8", "dumb")).isEqualTo(Glyphs.ASCII);
        assertThat(Glyphs.of("", "xterm")).isEqualTo(Glyphs.ASCII);
    }
}
