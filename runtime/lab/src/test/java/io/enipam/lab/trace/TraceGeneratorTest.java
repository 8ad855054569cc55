package io.enipam.lab.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceGenerator.Pattern;
import io.enipam.lab.trace.TraceGenerator.Wishes;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TraceGeneratorTest {
    private static final Duration DAY = Duration.ofHours(24);

    private static Trace make(Pattern pattern, int pods, int running, long seed) {
        return TraceGenerator.make(new Wishes(pattern, pods, DAY, running, seed));
    }

    private static String text(Trace trace) throws IOException {
        StringWriter text = new StringWriter();
        TraceFile.write(List.of(trace), text);
        return text.toString();
    }

    @ParameterizedTest
    @EnumSource
    void aPatternHasAsManyPodsAsWishedInTheirOrderWithinItsLength(Pattern pattern) {
        Trace trace = make(pattern, 1234, 20, 7);
        assertThat(trace.sandboxes()).hasSize(1234).isSortedAccordingTo(Comparator.comparing(Sandbox::at));
        assertThat(trace.sandboxes()).allMatch(sandbox -> sandbox.at().compareTo(DAY) < 0);
        assertThat(trace.sandboxes()).extracting(Sandbox::pod).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void theSameSeedGivesTheSameBytesAndAnotherOneOthers(Pattern pattern) throws IOException {
        assertThat(text(make(pattern, 500, 20, 7))).isEqualTo(text(make(pattern, 500, 20, 7)));
        assertThat(text(make(pattern, 500, 20, 7))).isNotEqualTo(text(make(pattern, 500, 20, 8)));
    }

    @Test
    void eachNodeOfAFleetHasPodsOfItsOwnAndTheFirstThoseOfTheSeed() {
        Wishes wishes = new Wishes(Pattern.DIURNAL, 50, DAY, 5, 7);
        List<Trace> fleet = TraceGenerator.fleet(wishes, 4);
        assertThat(fleet.get(0)).isEqualTo(TraceGenerator.make(wishes));
        assertThat(fleet).extracting(Trace::sandboxes).hasSize(4).doesNotHaveDuplicates();
        assertThat(TraceGenerator.fleet(wishes, 4)).isEqualTo(fleet);
        assertThat(TraceGenerator.fleet(wishes, 3)).isEqualTo(fleet.subList(0, 3));
    }

    /** Little's law: pods of a day times their mean life is a day times those that run. */
    @ParameterizedTest
    @EnumSource
    void aboutAsManyPodsRunOnAverageAsWished(Pattern pattern) {
        double seconds = make(pattern, 5000, 20, 7).sandboxes().stream()
                .mapToDouble(sandbox ->
                        sandbox.lives().orElse(DAY.minus(sandbox.at())).toMillis() / 1000.0)
                .sum();
        assertThat(seconds / DAY.toSeconds()).isBetween(16.0, 24.0);
    }

    @Test
    void aReleaseComesInWavesOfAQuarterAndReplacesTheFormerOne() {
        List<Sandbox> pods = make(Pattern.DEPLOY, 80, 20, 3).sandboxes();
        List<Sandbox> second =
                pods.stream().filter(pod -> pod.pod().contains("web-1-")).toList();
        long first = second.get(0).at().toMillis();
        assertThat(second).hasSize(20);
        assertThat(second.get(19).at().toMillis() - first).isBetween(15_000L, 25_000L);
        Sandbox old = pods.get(0);
        assertThat(old.at().plus(old.lives().orElseThrow()).toMillis()).isBetween(first, first + 20_000);
        assertThat(pods.subList(60, 80))
                .as("the last release stays")
                .allMatch(pod -> pod.lives().isEmpty());
    }

    @Test
    void jobsComeAtTheFullMinute() {
        assertThat(make(Pattern.CRON, 3000, 20, 3).sandboxes())
                .allMatch(job -> job.at().toMillis() % 60_000 <= 2_000);
    }

    @Test
    void morePodsComeByDayThanByNight() {
        List<Sandbox> pods = make(Pattern.DIURNAL, 4000, 20, 3).sandboxes();
        long day = pods.stream()
                .filter(pod -> Math.abs(pod.at().toHours() - 12) < 3)
                .count();
        long night = pods.stream()
                .filter(pod -> Math.abs(pod.at().toHours() - 12) > 9)
                .count();
        assertThat(day).isGreaterThan(3 * night);
    }

    @Test
    void asManyPodsOfASteadyStreamComeByDayAsByNight() {
        long day = make(Pattern.STEADY, 4000, 20, 3).sandboxes().stream()
                .filter(pod -> Math.abs(pod.at().toHours() - 12) < 6)
                .count();
        assertThat(day).isBetween(1700L, 2000L);
    }

    @Test
    void wishesThatCannotBeAreRefused() {
        assertThatThrownBy(() -> new Wishes(Pattern.CRON, 0, DAY, 20, 1)).hasMessageContaining("not 0");
        assertThatThrownBy(() -> new Wishes(Pattern.CRON, 1, Duration.ofSeconds(59), 20, 1))
                .hasMessageContaining("a minute to 31 days");
        assertThatThrownBy(() -> new Wishes(Pattern.CRON, 1, DAY, 0, 1)).hasMessageContaining("at least 1");
    }
}
