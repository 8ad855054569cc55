package io.enipam.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.lab.Sweep.Marks;
import io.enipam.lab.Sweep.Point;
import io.enipam.lab.Sweep.Range;
import io.enipam.lab.replay.ReplayResult;
import io.enipam.lab.replay.ReplayResult.Addresses;
import io.enipam.lab.replay.ReplayResult.Cloud;
import io.enipam.lab.replay.ReplayResult.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SweepTest {
    private static final Duration DAY = Duration.ofHours(24);

    private static Point point(int min, int max, double waiting, long p99, double idle) {
        return new Point(
                new Marks(min, max),
                new ReplayResult(
                        "watermark(min=" + min + ",max=" + max + ")",
                        1,
                        new Waits(100, 100, 0.1, waiting, 0, p99, p99),
                        new Cloud(Map.of("AssignPrivateIpAddresses", 7L), 0),
                        new Addresses(idle, idle, 5),
                        Map.of()));
    }

    private static Sweep sweep(Marks yours, Point... points) {
        return new Sweep(yours, List.of(points));
    }

    @Test
    void onTheFrontIsWhatNoOtherPointDominates() {
        Sweep sweep = sweep(
                new Marks(0, 5),
                point(0, 5, 200, 3000, 20),
                point(5, 5, 10, 500, 40),
                point(5, 10, 12, 600, 60),
                point(10, 10, 0, 0, 240));
        assertThat(sweep.front())
                .extracting(Point::marks)
                .containsExactly(new Marks(10, 10), new Marks(5, 5), new Marks(0, 5));
        assertThat(sweep.place())
                .isEqualTo("Your setting is here: min=0,max=5 (200 ms of waiting a pod, 20.0 idle hours); none of the"
                        + " others is better in waiting and in idle addresses.");
    }

    @Test
    void aSettingThatIsDominatedIsToldByWhich() {
        Sweep sweep = sweep(
                new Marks(5, 10),
                point(5, 10, 100, 600, 60),
                point(4, 4, 90, 600, 20),
                point(5, 5, 10, 500, 40),
                point(0, 5, 200, 3000, 10));
        assertThat(sweep.place())
                .contains(
                        "these two dominate it: min=5,max=5 (10 ms of waiting a pod, 40.0 idle hours), and min=4,max=4"
                                + " (90 ms");
    }

    @Test
    void advisedIsWhatKeepsTheFewestIdleWithinTheBound() {
        Sweep sweep =
                sweep(new Marks(0, 5), point(0, 5, 200, 3000, 24), point(5, 5, 10, 900, 48), point(10, 10, 0, 0, 240));
        assertThat(sweep.advice(Duration.ofSeconds(1), DAY))
                .hasSize(3)
                .element(0)
                .asString()
                .isEqualTo("Set pool.min_idle to 5 and pool.max_idle to 5: of what was replayed it keeps the fewest"
                        + " addresses idle among those with which 99 of 100 pods wait 1.0 s at most.");
        assertThat(sweep.advice(Duration.ofSeconds(1), DAY).get(2))
                .isEqualTo(
                        "For that 2.0 addresses would have been idle on average, and the cloud been called 7 times; as"
                                + " you have it, 1.0 addresses would have been idle on average, and the cloud been called"
                                + " 7 times.");
        assertThat(sweep.advice(Duration.ofSeconds(4), DAY).get(0)).startsWith("Keep pool.min_idle 0");
    }

    @Test
    void whereNothingKeepsTheBoundTheShortestWaitIsAdvised() {
        assertThat(sweep(new Marks(0, 5), point(0, 5, 200, 3000, 24), point(5, 5, 10, 2000, 48))
                        .advice(Duration.ofSeconds(1), DAY)
                        .get(0))
                .contains("Set pool.min_idle to 5", "with nothing that was replayed do 99 of 100 pods wait only 1.0 s");
    }

    @Test
    void theGridHasBothEndsAndNoMorePointsThanOneWaitsFor() {
        List<Marks> grid = Sweep.grid(Range.parse("0..20"), Range.parse("5..40"), 0);
        assertThat(grid).hasSizeLessThanOrEqualTo(Sweep.MOST).contains(new Marks(0, 5), new Marks(20, 40));
        assertThat(grid).allMatch(marks -> marks.min() <= marks.max()).doesNotHaveDuplicates();
        assertThat(Sweep.grid(Range.parse("0..2"), Range.parse("1"), 1))
                .containsExactly(new Marks(0, 1), new Marks(1, 1));
    }

    @Test
    void rangesThatAreNoneAreRefused() {
        for (String text : List.of("", "a", "1..", "3..2", "0..10001", "1..2..3", "-1..4")) {
            assertThatThrownBy(() -> Range.parse(text)).as(text).hasMessageContaining("is no range");
        }
        assertThatThrownBy(() -> Sweep.grid(Range.parse("9"), Range.parse("1..2"), 0))
                .hasMessageContaining("no value of --min");
    }
}
