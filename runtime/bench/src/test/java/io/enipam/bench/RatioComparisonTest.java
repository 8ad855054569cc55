package io.enipam.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.bench.RatioComparison.Row;
import io.enipam.bench.RatioComparison.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatioComparisonTest {
    @Test
    void aRatioMayGrowByAThirdAndNoFurther() {
        RatioComparison allowed = RatioComparison.of(Map.of("adds/1", 0.6), Map.of("adds/1", 0.799));
        assertThat(allowed.rows()).extracting(Row::verdict).containsExactly(Verdict.OK);
        assertThat(allowed.isGood()).isTrue();

        RatioComparison more = RatioComparison.of(Map.of("adds/1", 0.6), Map.of("adds/1", 0.801));
        assertThat(more.rows()).extracting(Row::verdict).containsExactly(Verdict.WORSE);
        assertThat(more.isGood()).isFalse();
    }

    @Test
    void aBetterRatioIsGoodHoweverMuchItDiffers() {
        assertThat(RatioComparison.of(Map.of("adds/1", 100.0), Map.of("adds/1", 0.01))
                        .isGood())
                .isTrue();
    }

    @Test
    void aRatioThatWasNotRecordedIsNewAndOneThatIsNotReportedIsAFault() {
        RatioComparison comparison = RatioComparison.of(Map.of("gone", 1.0), Map.of("more", 2.0));

        assertThat(comparison.rows())
                .extracting(Row::name, Row::verdict)
                .containsExactly(tuple("gone", Verdict.MISSING), tuple("more", Verdict.NEW));
        assertThat(comparison.isGood()).isFalse();
        assertThat(RatioComparison.of(Map.of(), Map.of("more", 2.0)).isGood()).isTrue();
    }

    @Test
    void theTableHasWhatWasWhatIsAndTheLimit() {
        assertThat(RatioComparison.of(Map.of("adds/1", 0.6), Map.of("adds/1", 0.9))
                        .table())
                .hasSize(2)
                .last()
                .asString()
                .containsPattern("^adds/1 +0\\.600 +0\\.900 +0\\.800 +WORSE$");
    }

    @Test
    void whatABenchmarkReportsIsReadAgain(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("ratios");
        assertThat(Ratios.read(file)).isEmpty();

        Ratios.report(file, "burst/first10", 0.75);
        Ratios.report(file, "burst/del1", 1.25);

        assertThat(Ratios.read(file)).isEqualTo(Map.of("burst/first10", 0.75, "burst/del1", 1.25));
    }

    @Test
    void whatIsNoRatioIsRefused(@TempDir Path directory) {
        Path file = directory.resolve("ratios");
        for (double none : new double[] {Double.NaN, Double.POSITIVE_INFINITY, 0, -1}) {
            assertThatIllegalArgumentException().isThrownBy(() -> Ratios.report(file, "adds/1", none));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Ratios.report(file, "with space", 1));
        assertThat(file).doesNotExist();
    }
}
