package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The daemon dies between any two steps of making and unmaking addresses, and the next one puts everything right: nothing is
 * leaked in the cloud, nothing is there twice, nothing given up comes back, no operation stays open, every slot is usable.
 */
class CrashTest {
    /** The node whose daemon dies. */
    RestartableNode node() {
        return new RestartableNode(false);
    }

    private static final int CAPACITY = RestartableNode.ENIS * RestartableNode.IPS;

    /** Makes four addresses on two ENIs and unmakes all of it: every kind of operation at least twice. */
    private static void liveAWholeLife(RestartableNode.Run run) {
        run.list();
        List<Resource> made = FactoryFixture.resources(run.ask(4));
        if (!run.dead()) {
            run.giveBack(made);
        }
    }

    @Test
    void aLifeWithoutADeathUsesEveryOperationAndLeavesNothing() {
        RestartableNode node = node();

        liveAWholeLife(node.new Run(Integer.MAX_VALUE, Optional.empty()));

        assertThat(node.journal.begun().stream().map(entry -> entry.operation().name()))
                .containsOnly("create", "attach", "assign", "unassign", "detach", "delete");
        assertThat(node.journal.open()).isEmpty();
        assertThat(node.cloud.all()).isEmpty();
    }

    @Test
    void aDeathAtAnyStepLeavesNothingBehind() {
        int steps = everyDeath(Optional.empty(), Duration.ZERO);

        assertThat(steps).as("steps in a life").isGreaterThan(50);
    }

    /** The call was on its way when the daemon died: it reaches the cloud before, while or after the next one looks. */
    @ParameterizedTest
    @ValueSource(longs = {0, 150, 1_000, 5_000, 60_000})
    void aCallThatOutlivesTheDaemonLeavesNothingBehind(long millis) {
        everyDeath(Optional.of(Duration.ofMillis(millis)), Duration.ZERO);
    }

    /** Looks and lists do not show an ENI for its first seconds. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000, 5_000})
    void aCloudWhoseLooksLagBehindLeavesNothingBehindEither(long millis) {
        everyDeath(Optional.empty(), Duration.ofSeconds(3));
        everyDeath(Optional.of(Duration.ofMillis(millis)), Duration.ofSeconds(3));
    }

    private int everyDeath(Optional<Duration> landing, Duration lag) {
        for (int step = 1; ; step++) {
            RestartableNode node = node();
            node.cloud.hideNew(lag);
            RestartableNode.Run first = node.new Run(step, landing);
            liveAWholeLife(first);
            if (!first.dead()) {
                return step - 1;
            }
            String story = "death at step " + first.death() + ", call landing " + landing;
            Set<String> givenUp = givenUp(node.journal.open());

            RestartableNode.Run second = node.new Run(Integer.MAX_VALUE, Optional.empty());
            second.list();
            everythingIsRight(node, second, givenUp, story);
        }
    }

    @Test
    void aSecondDeathAtAnyStepOfTheRecoveryLeavesNothingBehind() {
        int steps = 0;
        for (int step = 1; ; step++) {
            for (int again = 1; ; again++) {
                RestartableNode node = node();
                RestartableNode.Run first = node.new Run(step, Optional.empty());
                liveAWholeLife(first);
                if (!first.dead()) {
                    assertThat(steps).as("steps in all recoveries").isGreaterThan(100);
                    return;
                }
                Set<String> givenUp = givenUp(node.journal.open());
                RestartableNode.Run second = node.new Run(again, Optional.empty());
                second.list();
                if (!second.dead()) {
                    break;
                }
                steps++;
                RestartableNode.Run third = node.new Run(Integer.MAX_VALUE, Optional.empty());
                third.list();
                everythingIsRight(
                        node, third, givenUp, "deaths at step " + first.death() + " and then at " + second.death());
            }
        }
    }

    /** ENIs and addresses that the dead run was about to take away. */
    private static Set<String> givenUp(List<CloudJournal.Entry> open) {
        Set<String> all = new HashSet<>();
        for (CloudJournal.Entry entry : open) {
            if (entry.operation() instanceof CloudOperation.Unassign unassign) {
                unassign.ips().forEach(ip -> all.add(unassign.eni() + "/" + ip));
            } else if (entry.operation() instanceof CloudOperation.Detach
                    || entry.operation() instanceof CloudOperation.Delete) {
                all.add(entry.operation().subject());
            }
        }
        return all;
    }

    private static void everythingIsRight(
            RestartableNode node, RestartableNode.Run run, Set<String> givenUp, String story) {
        List<NetworkInterface> enis = node.cloud.all();
        assertThat(node.journal.open()).as(story).isEmpty();
        assertThat(enis).as(story).allSatisfy(eni -> {
            assertThat(eni.status()).isEqualTo(CloudEniStatus.IN_USE);
            assertThat(eni.instanceId()).isEqualTo(FactoryFixture.INSTANCE);
        });
        assertThat(run.states().keySet())
                .as(story)
                .isEqualTo(enis.stream().map(NetworkInterface::id).collect(Collectors.toSet()));
        assertThat(run.states().values()).as(story).allMatch("InUse"::equals);

        // An Assign that came late is found by the next look at the cloud, as the periodic one does.
        List<Resource> listed = run.list();
        assertThat(FactoryFixture.ips(listed)).as(story).containsExactlyInAnyOrderElementsOf(node.cloud.addresses());
        assertThat(listed)
                .as(story)
                .noneMatch(resource -> givenUp.contains(resource.parent())
                        || givenUp.contains(resource.id().value()));

        node.everyAddressHasItsPartner(story);
        everySlotIsUsable(node, run, listed, story);
        node.everyAddressHasItsPartner(story);
    }

    private static void everySlotIsUsable(
            RestartableNode node, RestartableNode.Run run, List<Resource> listed, String story) {
        List<Resource> all = new ArrayList<>(listed);
        all.addAll(FactoryFixture.resources(run.ask(CAPACITY - listed.size())));
        assertThat(FactoryFixture.ips(all))
                .as(story)
                .hasSize(CAPACITY)
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(node.cloud.addresses());
        assertThat(FactoryFixture.failures(run.ask(1)))
                .as(story)
                .extracting(Failed::kind)
                .containsExactly(ErrorKind.QUOTA_EXHAUSTED);

        assertThat(run.giveBack(all)).as(story).allMatch(result -> result.getNow(null) instanceof Disposed);
        assertThat(node.cloud.all()).as(story).isEmpty();
        assertThat(node.journal.open()).as(story).isEmpty();
    }
}
