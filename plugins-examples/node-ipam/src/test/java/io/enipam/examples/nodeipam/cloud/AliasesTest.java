package io.enipam.examples.nodeipam.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.nodeipam.FakeRoutes;
import io.enipam.examples.nodeipam.config.Options;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Source;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import io.enipam.sdk.testkit.FakeCluster;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the cloud is listed, and what that tells. */
class AliasesTest {
    private static final Pauses PAUSES =
            new Pauses(Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(5));

    private final FakeCluster cluster = new FakeCluster();
    private final FakeRoutes routes = new FakeRoutes();
    private final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
    private final RouteTable table = RouteTable.of(
            TestContext.builder()
                    .settings(Options.SETTINGS)
                    .service(Cloud.class, routes.cloud())
                    .build(),
            FakeRoutes.TABLE);
    private final ManualTimer timer = new ManualTimer();
    private final Told told = new Told();
    private final Aliases aliases = new Aliases(
            table, cluster.informer(ObjectKind.NODE), List.of(Subnet.parse("10.0.0.0/8")), clock, PAUSES, () -> timer);

    /** The time that was set, and the task of it. */
    private static final class ManualTimer implements Aliases.Timer {
        private Duration pause = Duration.ZERO;
        private Optional<Runnable> task = Optional.empty();

        @Override
        public void set(Duration next, Runnable then) {
            pause = next;
            task = Optional.of(then);
        }

        @Override
        public void close() {
            task = Optional.empty();
        }
    }

    private static final class Told implements Source.Sink {
        private final List<String> news = new ArrayList<>();

        @Override
        public void changed(String key) {
            news.add(key);
        }

        @Override
        public void synced() {
            news.add("synced");
        }

        @Override
        public void lost(String why) {
            news.add("lost: " + why);
        }
    }

    private void node(String name) {
        cluster.put(
                ClusterObject.of(ObjectRef.node(name), Map.of("spec", Map.of("providerID", "cn-hangzhou.i-" + name))));
    }

    /** The time is over. */
    private void elapse() {
        clock.move(timer.pause);
        timer.task.orElseThrow().run();
    }

    private long listings() {
        return routes.calls().stream().filter("list"::equals).count();
    }

    @Test
    void c3ThePauseIsTheUsualOneAfterSuccessAndDoublesAfterFailures() {
        List<Long> pauses = new ArrayList<>();
        boolean first = true;
        for (String outcome : "ok ok err err err err err ok ok err err ok".split(" ")) {
            routes.failNext(outcome.equals("err") ? 1 : 0, ErrorKind.UNAVAILABLE);
            if (first) {
                aliases.open(told);
            } else {
                elapse();
            }
            first = false;
            pauses.add(timer.pause.toSeconds());
        }
        assertThat(pauses).containsExactly(10L, 10L, 1L, 2L, 4L, 5L, 5L, 10L, 10L, 1L, 2L, 10L);
        assertThat(told.news).containsExactly("synced");
    }

    @ParameterizedTest
    @CsvSource({"0, 30000", "1, 250", "2, 500", "3, 1000", "6, 8000", "7, 10000", "1000000, 10000"})
    void thePausesAreThoseOfKubernetes(int failures, long millis) {
        assertThat(Pauses.DEFAULT.after(failures)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void aFirstListingThatFailsLosesTheSourceWithTheReason() {
        routes.failNext(1, ErrorKind.UNAUTHORIZED);
        aliases.open(told);
        assertThat(told.news)
                .containsExactly("lost: what the cloud leads to the nodes cannot be listed: a test lets it fail");
        assertThat(timer.task).isEmpty();
    }

    @Test
    void aCloudThatIsNotListedForLongLosesTheSource() {
        aliases.open(told);
        routes.failNext(100, ErrorKind.UNAVAILABLE);
        for (int i = 0; i < 8; i++) {
            elapse();
            assertThat(told.news).containsExactly("synced");
        }
        elapse();
        assertThat(told.news).hasSize(2).last().asString().startsWith("lost: ");
    }

    @Test
    void whatHasChangedIsToldOfItsNodesAlone() {
        node("a");
        node("b");
        node("c");
        routes.put("10.0.1.0/24", "i-a");
        routes.put("10.0.2.0/24", "i-b");
        routes.put("192.168.0.0/24", "i-c");
        routes.put("0.0.0.0/0", "i-c");
        aliases.open(told);
        assertThat(told.news)
                .containsExactlyInAnyOrder("a", "b", "synced")
                .last()
                .isEqualTo("synced");
        assertThat(aliases.of("i-c")).as("outside of the cluster CIDRs").isEmpty();
        told.news.clear();
        routes.drop("10.0.1.0/24");
        routes.put("10.0.3.0/24", "i-c");
        elapse();
        assertThat(told.news).containsExactlyInAnyOrder("a", "c");
        assertThat(aliases.of("i-c")).containsExactly(Subnet.parse("10.0.3.0/24"));
    }

    @Test
    void nodesThatAskShareOneListingThatIsNotMadeTooSoon() {
        aliases.open(told);
        clock.move(Duration.ofSeconds(2));
        for (int i = 0; i < 1_000; i++) {
            aliases.ask();
        }
        assertThat(listings()).isOne();
        assertThat(timer.pause).isEqualTo(Duration.ofSeconds(3));
        elapse();
        assertThat(listings()).isEqualTo(2);
        assertThat(timer.pause).isEqualTo(Duration.ofSeconds(10));
        clock.move(Duration.ofSeconds(9));
        aliases.ask();
        assertThat(timer.pause).isZero();
    }

    @Test
    void whoAsksWhileTheCloudFailsDoesNotShortenTheBackOff() {
        aliases.open(told);
        routes.failNext(3, ErrorKind.THROTTLED);
        elapse();
        elapse();
        elapse();
        aliases.ask();
        assertThat(timer.pause).isEqualTo(Duration.ofSeconds(4));
    }

    @Test
    void aClosedSourceTellsNothing() throws Exception {
        node("a");
        AutoCloseable opened = aliases.open(told);
        Runnable task = timer.task.orElseThrow();
        opened.close();
        routes.put("10.0.1.0/24", "i-a");
        task.run();
        assertThat(told.news).containsExactly("synced");
    }

    @ParameterizedTest
    @CsvSource({
        "cn-hangzhou.i-bp1abc, i-bp1abc",
        "alicloud://cn-hangzhou.i-bp1abc, i-bp1abc",
        "aws:///eu-west-1a/i-0abc, ''",
        "i-bp1abc, ''",
        "'', ''"
    })
    void theInstanceIsReadFromTheProviderIdThatAckWrites(String id, String instance) {
        assertThat(table.instance(id).orElse("")).isEqualTo(instance);
    }
}
