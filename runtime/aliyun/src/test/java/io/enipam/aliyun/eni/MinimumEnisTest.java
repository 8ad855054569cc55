package io.enipam.aliyun.eni;

import static io.enipam.aliyun.eni.FactoryFixture.ips;
import static io.enipam.aliyun.eni.FactoryFixture.resources;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.testing.FakeEcsApi.Call;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** ENIs that stay attached whoever needs them: terway's min_eni. */
class MinimumEnisTest {
    private static FactoryFixture bench(int min) {
        return new FactoryFixture(4, 5)
                .vswitch("vsw-1", 50)
                .with(settings -> FactoryFixture.withMinEnis(settings, min));
    }

    private static FactoryFixture started(int min) {
        FactoryFixture bench = bench(min);
        bench.factory();
        bench.time.advance(Duration.ofMinutes(1));
        return bench;
    }

    @Test
    void soManyAreAttachedBeforeAnybodyAsksAndTheNextWishWaitsForNoAttach() {
        FactoryFixture bench = started(2);
        assertThat(bench.states()).containsExactly("InUse", "InUse");

        var asked = bench.ask(2);
        bench.time.advance(AddressBatcher.QUIET);

        assertThat(resources(asked)).hasSize(2);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
    }

    @Test
    void nothingIsMadeBeforeTheCloudWasRead() {
        FactoryFixture bench = bench(2);
        bench.cloud.failNext(Call.LIST, "ServiceUnavailable", 503);
        CloudFactory unread = bench.unread();

        assertThat(unread.list().toCompletableFuture()).isNotCompleted();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.calls(Call.CREATE)).isZero();
    }

    @Test
    void anEniKeptForNobodyIsInNoListSoThatThePoolDoesNotGiveItBackForEver() {
        FactoryFixture bench = started(2);

        assertThat(bench.list()).isEmpty();
        List<Resource> made = bench.get(1);
        assertThat(bench.list()).containsExactlyElementsOf(made);
    }

    @Test
    void theLastAddressOfAnEniThatShallStayIsGivenBackWithoutADetach() {
        FactoryFixture bench = started(1);
        List<Resource> made = bench.get(3);

        var results = bench.giveBack(made);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(results).allMatch(result -> result.getNow(null) instanceof Disposed);
        assertThat(bench.states()).containsExactly("InUse");
        assertThat(bench.list()).isEmpty();
        assertThat(bench.cloud.addresses()).containsExactly("10.0.1.1");
        assertThat(bench.cloud.calls(Call.DETACH)).isZero();
        assertThat(ips(bench.get(1))).containsExactly("10.0.1.1");
    }

    @Test
    void enisAboveTheMinimumGoWithTheirLastAddress() {
        FactoryFixture bench = started(1);
        List<Resource> made = bench.get(10);
        assertThat(bench.states()).hasSize(2);

        bench.giveBack(made);
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.states()).containsExactly("InUse");
        assertThat(bench.cloud.all()).hasSize(1);
    }

    @Test
    void anEniThatVanishedIsReplaced() {
        FactoryFixture bench = started(2);
        bench.cloud.vanish("eni-1");

        bench.list();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.states()).containsExactly("InUse", "InUse");
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(3);
    }

    @Test
    void aCloudThatRefusesIsAskedAgainAfterARestAndNotAtOnce() {
        FactoryFixture bench = bench(1);
        bench.cloud.failNext(Call.CREATE, "MaxEniCountExceeded", 403);
        bench.cloud.failNext(Call.CREATE, "MaxEniCountExceeded", 403);
        bench.factory();
        bench.time.advance(Duration.ofSeconds(29));
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(1);

        bench.time.advance(Duration.ofMinutes(3));

        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(3);
        assertThat(bench.states()).containsExactly("InUse");
    }

    @Test
    void aRestartMakesNoMoreThanThereShallBe() {
        FactoryFixture bench = started(2);

        bench.restart();
        bench.time.advance(Duration.ofMinutes(1));

        assertThat(bench.cloud.all()).hasSize(2);
        assertThat(bench.cloud.calls(Call.CREATE)).isEqualTo(2);
    }
}
