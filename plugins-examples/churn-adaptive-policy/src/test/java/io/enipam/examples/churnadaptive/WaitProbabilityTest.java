package io.enipam.examples.churnadaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.PoolPolicy;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The promise itself, measured: lead times are planned as they are, without a safety factor. */
class WaitProbabilityTest {
    private static final double PROMISED = 0.05;

    @ParameterizedTest(name = "{0} a second, {1} s to create, seed {2}")
    @CsvSource({
        "0.02, 3, 1",
        "0.02, 3, 2",
        "0.2, 3, 3",
        "0.2, 3, 4",
        "2, 3, 5",
        "2, 3, 6",
        "20, 3, 7",
        "20, 3, 8",
        "2, 30, 9"
    })
    void notMorePodsWaitThanPromisedAndThePoolIsNotMuchLargerThanItMustBe(double rate, double create, long seed) {
        PoolSimulation.Outcome outcome =
                new PoolSimulation(policy(PROMISED), seed).rate(rate).creates(create).until(20_000);
        assertThat(outcome.waitFraction()).isLessThanOrEqualTo(PROMISED);
        assertThat(outcome.meanMinIdle()).isLessThanOrEqualTo(1.3 * ideal(rate * create) + 1);
    }

    @ParameterizedTest(name = "{0} a second, seed {1}")
    @CsvSource({"0.2, 11", "2, 12", "20, 13"})
    void itHoldsForCreateTimesThatVaryTooSinceOnlyTheirMeanMatters(double rate, long seed) {
        PoolSimulation.Outcome outcome =
                new PoolSimulation(policy(PROMISED), seed).rate(rate).createsAbout(3).until(20_000);
        assertThat(outcome.waitFraction()).isLessThanOrEqualTo(PROMISED * 1.2);
    }

    @ParameterizedTest(name = "batches of {0}, seed {1}")
    @CsvSource({"5, 21", "10, 22", "30, 23"})
    void podsThatComeInBatchesWaitAsSeldom(int batch, long seed) {
        PoolSimulation.Outcome outcome = new PoolSimulation(policy(PROMISED), seed)
                .rate(1)
                .batches(batch)
                .creates(3)
                .until(20_000);
        assertThat(outcome.waitFraction()).isLessThanOrEqualTo(PROMISED * 1.2);
    }

    @Test
    void podsThatComeAndGoInBalanceCostFewCallsOfTheCloud() {
        PoolSimulation.Outcome calm = inBalance(policy(0.01));
        PoolSimulation.Outcome restless =
                inBalance(ChurnAdaptivePolicyTest.policy("safety", 1, "min_lead_time", "100ms", "calm_time", "0s"));

        assertThat(calm.waitFraction()).isLessThanOrEqualTo(0.01);
        assertThat(calm.creates() + calm.disposals()).isLessThan(calm.pods() / 5);
        assertThat(calm.creates() + calm.disposals()).isLessThan((restless.creates() + restless.disposals()) / 3);
        assertThat(calm.meanIdle()).isLessThan(2 * calm.meanMinIdle());
    }

    private static PoolSimulation.Outcome inBalance(PoolPolicy policy) {
        return new PoolSimulation(policy, 31).rate(1).podsLive(100).creates(3).until(20_000);
    }

    @Test
    void aSmallerProbabilityIsKeptAsWell() {
        double mean = LongStream.of(41, 42, 43, 44)
                .mapToDouble(seed -> new PoolSimulation(policy(0.005), seed)
                        .rate(2)
                        .creates(3)
                        .until(20_000)
                        .waitFraction())
                .average()
                .orElseThrow();
        assertThat(mean).isLessThanOrEqualTo(0.005);
    }

    private static PoolPolicy policy(double waitProbability) {
        return ChurnAdaptivePolicyTest.policy(
                "wait_probability", waitProbability, "safety", 1, "min_lead_time", "100ms");
    }

    /** The smallest lower bound that keeps the promise, for one who knows the rate: by the definition. */
    private static int ideal(double mean) {
        double term = Math.exp(-mean);
        double fewerThan = 0;
        int addresses = 0;
        while (1 - fewerThan > PROMISED) {
            fewerThan += term;
            addresses++;
            term *= mean / addresses;
        }
        return addresses;
    }
}
