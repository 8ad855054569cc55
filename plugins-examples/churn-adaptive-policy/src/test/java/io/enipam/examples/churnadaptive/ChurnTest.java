package io.enipam.examples.churnadaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.enipam.sdk.Activity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChurnTest {
    private static final Duration HALF_LIFE = Duration.ofMinutes(2);

    @Test
    void nothingIsKnownWhereNothingHappened() {
        assertThat(Churn.of(Activity.NONE, HALF_LIFE)).isEmpty();
        assertThat(Churn.of(activity(Collections.nCopies(60, 0)), HALF_LIFE)).isEmpty();
    }

    @Test
    void anEvenRateIsFound() {
        Churn churn = estimate(Collections.nCopies(60, 20));

        // twelve intervals of half-life weigh as 32 equal ones; half an event more by the prior
        assertThat(churn.arrivals()).isCloseTo(2, within(0.01));
        assertThat(churn.dispersion()).isEqualTo(1);
        assertThat(churn.exposure()).isBetween(300.0, 350.0);
    }

    @Test
    void theWeightOfThePastHalvesWithTheHalfLife() {
        List<Integer> counts = new ArrayList<>(Collections.nCopies(48, 100));
        counts.addAll(Collections.nCopies(13, 0));

        // twelve complete intervals ago it stopped: 2 minutes
        assertThat(estimate(counts).arrivals()).isCloseTo(10 * 0.5, within(0.35));
    }

    @Test
    void aShortPastIsNotALull() {
        // 5 intervals of equal weight, nearly: half an event in 50 s more by the prior
        assertThat(estimate(Collections.nCopies(5, 20)).arrivals()).isCloseTo(2, within(0.02));
    }

    @Test
    void onePodAfterALongLullIsOnePod() {
        List<Integer> counts = new ArrayList<>(Collections.nCopies(59, 0));
        counts.add(1);

        assertThat(estimate(counts).arrivals()).isLessThan(0.01);
    }

    @Test
    void aRunningIntervalThatHasJustBegunDoesNotLookLikeALull() {
        List<Integer> counts = new ArrayList<>(Collections.nCopies(59, 20));
        counts.add(0);

        assertThat(estimate(counts).arrivals()).isCloseTo(2, within(0.01));
    }

    @Test
    void aBurstInTheRunningIntervalIsSeenAtOnce() {
        List<Integer> counts = new ArrayList<>(Collections.nCopies(59, 1));
        double before = estimate(counts).arrivals();
        counts.add(60);

        assertThat(estimate(counts).arrivals()).isGreaterThan(before * 3);
        assertThat(estimate(counts).dispersion()).isGreaterThan(10);
    }

    @Test
    void whatIsGivenBackIsCountedByItself() {
        Activity activity = new Activity(
                Duration.ofSeconds(10), Collections.nCopies(60, 10), Collections.nCopies(60, 4), Duration.ofSeconds(3));

        assertThat(Churn.of(activity, HALF_LIFE).orElseThrow().returns()).isCloseTo(0.4, within(0.001));
    }

    @Test
    void podsThatComeInTensAreTenTimesAsDispersed() {
        Random random = new Random(7);
        double sum = 0;
        for (int run = 0; run < 200; run++) {
            sum += estimate(IntStream.range(0, 60)
                            .mapToObj(i -> 10 * poisson(2, random))
                            .toList())
                    .dispersion();
        }

        assertThat(sum / 200).isCloseTo(10, within(1.0));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void chanceIsSeldomTakenForBurstiness(long seed) {
        Random random = new Random(seed);
        int mistaken = 0;
        for (int run = 0; run < 500; run++) {
            List<Integer> counts =
                    IntStream.range(0, 60).mapToObj(i -> poisson(8, random)).toList();
            if (estimate(counts).dispersion() > 1) {
                mistaken++;
            }
        }

        assertThat(mistaken).isLessThan(500 / 10);
    }

    private static Churn estimate(List<Integer> lent) {
        return Churn.of(activity(lent), HALF_LIFE).orElseThrow();
    }

    private static Activity activity(List<Integer> lent) {
        return new Activity(Duration.ofSeconds(10), lent, Collections.nCopies(lent.size(), 0), Duration.ZERO);
    }

    /** Knuth's way, for small means. */
    private static int poisson(double mean, Random random) {
        double limit = Math.exp(-mean);
        int k = 0;
        for (double p = random.nextDouble(); p > limit; p *= random.nextDouble()) {
            k++;
        }
        return k;
    }
}
