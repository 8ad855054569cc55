package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.failures;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Where ENIs are made: in order, at random, where most is free, and never where it cannot work. */
class VSwitchesTest {
    /** A bench whose ENIs have one address each, so that each wish is one choice. */
    private static FactoryFixture bench(VSwitchPolicy policy, long seed) {
        return new FactoryFixture(30, 1).with(settings -> settings.withVSwitchPolicy(policy, seed));
    }

    private static List<String> vswitches(List<Resource> made) {
        return made.stream().map(r -> r.attributes().get(Resource.VSWITCH)).toList();
    }

    /** Where ENIs made one after the other came to be. */
    private static List<String> oneByOne(FactoryFixture bench, int count) {
        List<String> where = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            where.addAll(vswitches(bench.get(1)));
        }
        return where;
    }

    @Test
    void orderedTakesTheFirstUntilItIsEmpty() {
        FactoryFixture bench =
                bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-1", 2).vswitch("vsw-2", 50);

        assertThat(oneByOne(bench, 4)).containsExactly("vsw-1", "vsw-1", "vsw-2", "vsw-2");
        assertThat(bench.cloud.calls(Call.DESCRIBE_VSWITCH)).isZero();
    }

    @Test
    void randomSpreadsOverAllAndIsRepeatedByItsSeed() {
        List<List<String>> runs = new ArrayList<>();
        for (long seed : new long[] {7, 7, 8}) {
            FactoryFixture bench = bench(VSwitchPolicy.RANDOM, seed)
                    .vswitch("vsw-1", 50)
                    .vswitch("vsw-2", 50)
                    .vswitch("vsw-3", 50);
            runs.add(oneByOne(bench, 24));
        }

        assertThat(runs.get(0)).contains("vsw-1", "vsw-2", "vsw-3");
        assertThat(runs.get(1)).isEqualTo(runs.get(0));
        assertThat(runs.get(2)).isNotEqualTo(runs.get(0));
    }

    @Test
    void randomNeverChoosesAnEmptyOne() {
        FactoryFixture bench =
                bench(VSwitchPolicy.RANDOM, 1).vswitch("vsw-1", 1).vswitch("vsw-2", 50);

        List<String> where = oneByOne(bench, 12);

        assertThat(where).hasSize(12).containsOnlyOnce("vsw-1");
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchEmpty");
    }

    @Test
    void mostFollowsWhatIsFreeAndTheFirstOfEquals() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 10).vswitch("vsw-2", 12);

        assertThat(oneByOne(bench, 4)).containsExactly("vsw-2", "vsw-2", "vsw-1", "vsw-2");
    }

    @Test
    void mostSeesWithinMinutesThatOthersHaveTakenTheAddresses() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 10).vswitch("vsw-2", 100);
        assertThat(vswitches(bench.get(1))).containsExactly("vsw-2");

        bench.cloud.occupy("vsw-2", 95);
        bench.time.advance(Duration.ofMinutes(3));

        assertThat(vswitches(bench.get(1))).containsExactly("vsw-1");
    }

    @Test
    void mostAsksTheCloudAtMostEveryThreeMinutesHoweverManyEnisAreMade() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 50);
        bench.factory();
        bench.time.advance(Duration.ofMinutes(3));

        var asked = bench.ask(20);
        bench.time.advance(Duration.ofMinutes(2));

        assertThat(resources(asked)).hasSize(20);
        assertThat(bench.cloud.calls(Call.DESCRIBE_VSWITCH))
                .as("one count of two vSwitches")
                .isEqualTo(2);
    }

    @Test
    void aRefusalHasTheCloudCountAgainAtOnce() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0)
                .vswitch("vsw-1", 5)
                .vswitch("vsw-2", 9)
                .vswitch("vsw-3", 10);
        bench.get(1);
        bench.cloud.occupy("vsw-2", 9);
        bench.cloud.occupy("vsw-3", 9);
        int counted = bench.cloud.calls(Call.DESCRIBE_VSWITCH);

        var asked = bench.ask(1);
        bench.time.advance(Duration.ofSeconds(30));

        assertThat(vswitches(resources(asked))).containsExactly("vsw-1");
        assertThat(bench.cloud.calls(Call.DESCRIBE_VSWITCH)).isEqualTo(counted + 3);
    }

    @Test
    void aWishWaitsForTheCountAndAddressesAtHandDoNot() {
        FactoryFixture bench = new FactoryFixture(3, 2)
                .with(settings -> settings.withVSwitchPolicy(VSwitchPolicy.MOST, 0))
                .vswitch("vsw-1", 50)
                .vswitch("vsw-2", 60);
        Resource first = bench.get(1).get(0);
        bench.latency = Duration.ofSeconds(8);
        bench.time.advance(Duration.ofMinutes(3));

        List<CompletableFuture<CreateResult>> asked = bench.ask(2);
        bench.time.advance(Duration.ofSeconds(9));

        assertThat(resources(asked))
                .as("the second address of the ENI that is there comes while the cloud is still counting")
                .singleElement()
                .satisfies(made -> assertThat(made.parent()).isEqualTo(first.parent()));
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(resources(asked)).hasSize(2);
    }

    @Test
    void aCloudThatWillNotCountKeepsNobodyWaiting() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 60);
        bench.factory();
        bench.time.advance(Duration.ofMinutes(4));
        bench.cloud.failNext(Call.DESCRIBE_VSWITCH, "ServiceUnavailable", 503);

        assertThat(vswitches(bench.get(1))).containsExactly("vsw-2");
    }

    @Test
    void aVSwitchThatWasDeletedIsToldOnceAndTheOthersServe() {
        FactoryFixture bench =
                bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 50);
        bench.get(1);
        bench.cloud.deleteVSwitch("vsw-1");

        assertThat(oneByOne(bench, 3)).containsOnly("vsw-2");
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchUnusable");
        assertThat(bench.events.messages())
                .anySatisfy(message -> assertThat(message)
                        .startsWith("WARNING VSwitchUnusable vsw-1 ")
                        .contains("InvalidVSwitchId.NotFound", "ENIs are made in vsw-2"));
    }

    @Test
    void aCountFindsADeletedVSwitchBeforeAnEniIsTriedInIt() {
        FactoryFixture bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 40);
        bench.factory();
        bench.cloud.deleteVSwitch("vsw-1");
        bench.time.advance(Duration.ofMinutes(4));

        assertThat(oneByOne(bench, 2)).containsExactly("vsw-2", "vsw-2");
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchUnusable");
    }

    @Test
    void aVSwitchOfAnotherZoneIsToldOnceItsEniGoesAndTheOthersServe() {
        FactoryFixture bench =
                bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-far", "zone-b", 50).vswitch("vsw-2", 50);

        assertThat(oneByOne(bench, 2)).containsExactly("vsw-2", "vsw-2");
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.events.types()).containsOnlyOnce("VSwitchUnusable");
        assertThat(bench.cloud.all()).hasSize(2);
    }

    @Test
    void whenNoneIsLeftTheWishFailsWithTheNamesOfAll() {
        FactoryFixture bench =
                bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-far", "zone-b", 50).vswitch("vsw-1", 50);
        bench.factory();
        bench.cloud.deleteVSwitch("vsw-1");

        var asked = bench.ask(1);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(failures(asked)).singleElement().satisfies(failed -> {
            assertThat(failed.kind()).isEqualTo(ErrorKind.MISCONFIGURED);
            assertThat(failed.message()).contains("vsw-far", "vsw-1", "'vswitches'");
        });
        assertThat(bench.cloud.all()).isEmpty();
        assertThat(bench.events.messages())
                .anySatisfy(message -> assertThat(message).startsWith("ERROR VSwitchUnusable vsw-1"));
    }
}
