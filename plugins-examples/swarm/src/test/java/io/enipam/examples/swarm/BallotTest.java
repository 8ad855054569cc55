package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.licences.LicenceVoter;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Role;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tasks on the ballot of the swarm, with voters of somebody else's. */
class BallotTest {
    private static final int LICENCES = 3;

    private final World world = new World(Map.of("licences", List.of(Integer.toString(LICENCES))));

    @AfterEach
    void end() {
        world.close();
    }

    private void register(Extension voter) {
        world.replica.registered.put(voter.name(), voter);
    }

    private long pending() {
        return world.tasks().stream()
                .map(Task::status)
                .filter(status -> status.state() == State.PENDING)
                .count();
    }

    private List<Finding> ballotFindings() {
        return world.replica.part().checks().stream()
                .filter(check -> check.id().equals("ballot"))
                .flatMap(check -> check.run(() -> Instant.EPOCH).stream())
                .toList();
    }

    private void fiveTasks() {
        world.start();
        world.create(Objects.net("net"), World.service("web", List.of("net")));
        for (int i = 1; i <= 5; i++) {
            world.create(Objects.task("web." + i, "web"));
        }
    }

    @Test
    void tasksWaitForALicenceUntilOneIsGivenBack() {
        register(LicenceVoter.extension("swarm"));
        fiveTasks();
        assertThat(pending()).isEqualTo(LICENCES);
        assertThat(ballotFindings())
                .extracting(finding -> finding.subject() + ": " + finding.why())
                .containsExactlyInAnyOrder(
                        "task web.4: not every voter has voted yes", "task web.5: not every voter has voted yes");
        world.deleteTask("web.1");
        world.clock.move(Duration.ofMinutes(1));
        world.replica.drain();
        assertThat(pending()).isEqualTo(LICENCES);
        assertThat(world.state("web.4")).isEqualTo(State.PENDING);
        assertThat(world.state("web.5")).isEqualTo(State.NEW);
    }

    @Test
    void aVoterThatHangsAndIsRemovedLosesNoTask() {
        register(LicenceVoter.extension("swarm"));
        world.replica.hanging.add(LicenceVoter.NAME);
        fiveTasks();
        assertThat(pending()).isZero();
        world.replica.crash();
        world.start();
        assertThat(pending()).isZero();
        world.replica.registered.clear();
        world.replica.drain();
        assertThat(pending()).isEqualTo(5);
        assertThat(world.tasks().stream().flatMap(task -> world.addresses(task.id()).stream()))
                .hasSize(5)
                .doesNotHaveDuplicates();
    }

    @Test
    void aTaskThatAVoterRefusesIsRejectedAndGivesItsAddressBack() {
        register(Extension.voter("strict", Set.of(Role.CLUSTER), "swarm", host ->
                (Voter) (claim, tx) -> Vote.no(ErrorKind.UNAUTHORIZED, "not in this cluster")));
        fiveTasks();
        assertThat(world.tasks())
                .allMatch(task -> task.status().state() == State.REJECTED
                        && task.status().message().equals("not in this cluster"));
        assertThat(ballotFindings())
                .hasSize(5)
                .allSatisfy(
                        finding -> assertThat(finding.why()).isEqualTo("a voter has refused it: not in this cluster"));
        world.replica.registered.clear();
        world.create(Objects.task("web.6", "web"));
        assertThat(pending()).isEqualTo(1);
        // networks and services hold theirs, of the tasks one is left
        assertThat(((SwarmPart) world.replica.part()).held().get(1)).isEqualTo(2);
    }
}
