package io.enipam.examples.churnadaptive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemandTest {
    private static final int UNLIMITED = 1_000_000;

    /** Quantiles as tables of the Poisson distribution have them. */
    @ParameterizedTest(name = "mean {0}: exceeded with {1} is {2}")
    @CsvSource({
        "0,    0.01,  0",
        "0.01, 0.01,  0",
        "0.1,  0.01,  1",
        "1,    0.05,  3",
        "1,    0.01,  4",
        "5,    0.05,  9",
        "5,    0.01, 11",
        "10,   0.01, 18",
        "10,   0.5,  10",
        "100,  0.01, 124",
    })
    void withoutBurstsItIsPoisson(double mean, double probability, int expected) {
        assertThat(new Demand(mean, 1).exceededWith(probability, UNLIMITED)).isEqualTo(expected);
    }

    /** The sum of the definition, in logarithms, beside the recurrence. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void theAnswerIsWhereTheTailOfTheDefinitionCrosses(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            double mean = Math.exp(random.nextDouble(-4, 5));
            double dispersion = 1 + Math.exp(random.nextDouble(-6, 4));
            double probability = Math.exp(random.nextDouble(-9, -0.7));

            int k = new Demand(mean, dispersion).exceededWith(probability, UNLIMITED);

            // a hair's breadth for rounding: where a tail is the probability itself, either answer is right
            assertThat(tail(mean, dispersion, k)).isLessThanOrEqualTo(probability * (1 + 1e-6));
            if (k > 0) {
                assertThat(tail(mean, dispersion, k - 1)).isGreaterThan(probability * (1 - 1e-6));
            }
        }
    }

    @Test
    void aLittleBurstinessIsALittleMoreThanPoisson() {
        assertThat(new Demand(50, 1 + 1e-12).exceededWith(0.01, UNLIMITED))
                .isEqualTo(new Demand(50, 1).exceededWith(0.01, UNLIMITED));
        assertThat(new Demand(50, 1.5).exceededWith(0.01, UNLIMITED))
                .isGreaterThan(new Demand(50, 1).exceededWith(0.01, UNLIMITED));
    }

    /** A thousand pods a second and a lead time of half a minute: the normal distribution is near enough by then. */
    @ParameterizedTest(name = "mean {0}, dispersion {1}")
    @CsvSource({"1000,1", "30000,1", "30000,3", "300000,1", "300000,200"})
    void largeNumbersNeitherOverflowNorVanish(double mean, double dispersion) {
        double deviation = Math.sqrt(mean * dispersion);

        assertThat((double) new Demand(mean, dispersion).exceededWith(0.01, UNLIMITED))
                .isCloseTo(mean + 2.3263 * deviation, within(0.05 * deviation + 2 * dispersion));
    }

    @Test
    void moreThanTheLimitIsNeitherAnsweredNorComputed() {
        assertThat(new Demand(1e12, 1).exceededWith(0.01, 250)).isEqualTo(250);
        assertThat(new Demand(249, 5).exceededWith(0.01, 250)).isEqualTo(250);
        assertThat(new Demand(0, 1).exceededWith(0.01, 0)).isZero();
    }

    @Test
    void theAnswerGoesUpWithTheMeanAndDownWithTheProbability() {
        int last = 0;
        for (double mean = 0; mean < 60; mean += 0.37) {
            int k = new Demand(mean, 2.5).exceededWith(0.01, UNLIMITED);
            assertThat(k).isGreaterThanOrEqualTo(last);
            assertThat(new Demand(mean, 2.5).exceededWith(0.1, UNLIMITED)).isLessThanOrEqualTo(k);
            last = k;
        }
    }

    @Test
    void aDemandMoreEvenThanPoissonIsNotKnownHere() {
        assertThatThrownBy(() -> new Demand(1, 0.9)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Demand(Double.NaN, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** {@code P(X > k)} of the negative binomial distribution, term by term from its definition. */
    private static double tail(double mean, double dispersion, int k) {
        double size = mean / (dispersion - 1);
        double below = 0;
        double logTerm = -size * Math.log(dispersion);
        for (int i = 0; i <= k; i++) {
            below += Math.exp(logTerm);
            logTerm += Math.log((size + i) / (i + 1) * (1 - 1 / dispersion));
        }
        return 1 - below;
    }
}
