package io.enipam.shell.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import io.enipam.shell.CannedSamples;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.v1.HistorySample;
import io.enipam.v1.PoolCounts;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextChartTest {
    private static final RenderContext LOOK =
            new RenderContext(Palette.PLAIN, Instant.parse("2020-07-01T06:00:00Z"), ZoneOffset.UTC, false);

    @Test
    void tenMinutesWithABurstThatFoundThePoolEmpty() {
        List<String> lines = new TextChart(SampleSeries.of(CannedSamples.samples()), Glyphs.ASCII).lines(LOOK, 60);

        assertThat(String.join("\n", lines.subList(0, 10))).isEqualTo("""
                        the last 9m, 15s a column
                        in use            10 |                         *#___----***#
                        now 10               |              ....====***#############
                                           0 |___....++++%%%########################
                        idle               3 |#########################  ###########
                        now 3                |#########################  ###########
                                           0 |#########################__###########
                        waiting            2 |                         ##          \s
                        now 0                |                         ##          \s
                                           0 |_________________________##___________""");
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 80, 200})
    void itFitsTheScreenWithOneLineLeftForThePrompt(int width) {
        for (Glyphs glyphs : Glyphs.values()) {
            List<String> lines = new TextChart(SampleSeries.of(CannedSamples.samples()), glyphs).lines(LOOK, width);

            assertThat(lines).hasSize(TextChart.HEIGHT);
            assertThat(lines).allSatisfy(line -> assertThat(Table.width(line)).isLessThanOrEqualTo(width));
        }
    }

    @Test
    void aDaemonThatWasNotThereLeavesAHoleAndAnEmptyPoolALineAtTheBottom() {
        List<HistorySample> samples = IntStream.rangeClosed(0, 39)
                .filter(n -> n < 10 || n >= 20)
                .mapToObj(n -> HistorySample.newBuilder()
                        .setAge(Durations.fromSeconds(399 - n * 10))
                        .setCounts(PoolCounts.newBuilder().setInUse(n < 10 ? 0 : 8))
                        .build())
                .toList();

        List<String> lines =
                new TextChart(new SampleSeries(samples, Duration.ofSeconds(400)), Glyphs.ASCII).lines(LOOK, 62);

        assertThat(lines.get(1)).isEqualTo("in use             8 |" + " ".repeat(20) + "#".repeat(20));
        assertThat(lines.get(3)).isEqualTo("                   0 |" + "_".repeat(10) + " ".repeat(10) + "#".repeat(20));
    }

    @Test
    void withoutASampleThereIsNoNumber() {
        List<String> lines =
                new TextChart(new SampleSeries(List.of(), Duration.ofHours(1)), Glyphs.ASCII).lines(LOOK, 80);

        assertThat(lines.get(2)).startsWith("now -");
        assertThat(lines.get(19)).endsWith("06:00:00").contains("05:00:00", "05:30:00");
    }
}
