package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.Bench.failures;
import static io.enipam.aliyun.eni.Bench.resources;
import static org.assertj.core.api.Assertions.assertThat;

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
class VSwitchChoiceTest {
    /** A bench whose ENIs have one address each, so that each wish is one choice. */
    private static Bench bench(VSwitchPolicy policy, long seed) {
        return new Bench(30, 1).with(settings -> settings.choosing(policy, seed));
    }

    private static List<String> vswitches(List<Resource> made) {
        return made.stream().map(r -> r.attributes().get(Resource.VSWITCH)).toList();
    }

    /** Where ENIs made one after the other came to be. */
    private static List<String> oneByOne(Bench bench, int count) {
        List<String> where = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            where.addAll(vswitches(bench.get(1)));
        }
        return where;
    }

    @Test
    void orderedTakesTheFirstUntilItIsEmpty() {
        Bench bench = bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-1", 2).vswitch("vsw-2", 50);

        assertThat(oneByOne(bench, 4)).containsExactly("vsw-1", "vsw-1", "vsw-2", "vsw-2");
        assertThat(bench.cloud.calls(Call.DESCRIBE_VSWITCH)).isZero();
    }

    @Test
    void randomSpreadsOverAllAndIsRepeatedByItsSeed() {
        List<List<String>> runs = new ArrayList<>();
        for (long seed : new long[] {7, 7, 8}) {
            Bench bench = bench(VSwitchPolicy.RANDOM, seed)
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
        Bench bench = bench(VSwitchPolicy.RANDOM, 1).vswitch("vsw-1", 1).vswitch("vsw-2", 50);

        List<String> where = oneByOne(bench, 12);

        assertThat(where).hasSize(12).containsOnlyOnce("vsw-1");
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchEmpty");
    }

    @Test
    void mostFollowsWhatIsFreeAndTheFirstOfEquals() {
        Bench bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 10).vswitch("vsw-2", 12);

        assertThat(oneByOne(bench, 4)).containsExactly("vsw-2", "vsw-2", "vsw-1", "vsw-2");
    }

    @Test
    void mostSeesWithinMinutesThatOthersHaveTakenTheAddresses() {
        Bench bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 10).vswitch("vsw-2", 100);
        assertThat(vswitches(bench.get(1))).containsExactly("vsw-2");

        bench.cloud.occupy("vsw-2", 95);
        bench.time.advance(Duration.ofMinutes(3));

        assertThat(vswitches(bench.get(1))).containsExactly("vsw-1");
    }

    @Test
    void mostAsksTheCloudAtMostEveryThreeMinutesHoweverManyEnisAreMade() {
        Bench bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 50);
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
        Bench bench = bench(VSwitchPolicy.MOST, 0)
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
        Bench bench = new Bench(3, 2)
                .with(settings -> settings.choosing(VSwitchPolicy.MOST, 0))
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
        Bench bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 60);
        bench.factory();
        bench.time.advance(Duration.ofMinutes(4));
        bench.cloud.failNext(Call.DESCRIBE_VSWITCH, "ServiceUnavailable", 503);

        assertThat(vswitches(bench.get(1))).containsExactly("vsw-2");
    }

    @Test
    void aVSwitchThatWasDeletedIsToldOnceAndTheOthersServe() {
        Bench bench = bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 50);
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
        Bench bench = bench(VSwitchPolicy.MOST, 0).vswitch("vsw-1", 50).vswitch("vsw-2", 40);
        bench.factory();
        bench.cloud.deleteVSwitch("vsw-1");
        bench.time.advance(Duration.ofMinutes(4));

        assertThat(oneByOne(bench, 2)).containsExactly("vsw-2", "vsw-2");
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
        assertThat(bench.events.types()).containsOnlyOnce("VSwitchUnusable");
    }

    @Test
    void aVSwitchOfAnotherZoneIsToldOnceItsEniGoesAndTheOthersServe() {
        Bench bench =
                bench(VSwitchPolicy.ORDERED, 0).vswitch("vsw-far", "zone-b", 50).vswitch("vsw-2", 50);

        assertThat(oneByOne(bench, 2)).containsExactly("vsw-2", "vsw-2");
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.events.types()).containsOnlyOnce("VSwitchUnusable");
        assertThat(bench.cloud.all()).hasSize(2);
    }

    @Test
    void whenNoneIsLeftTheWishFailsWithTheNamesOfAll() {
        Bench bench =
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
