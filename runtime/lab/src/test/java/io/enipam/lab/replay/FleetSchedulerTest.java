package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many nodes, whose calls meet in one list, at times that are often the same. */
class FleetSchedulerTest {
    private static final int NODES = 25;

    private final List<AutoCloseable> open = new ArrayList<>();

    /** That calls of nodes have met at a time, in milliseconds. */
    private record Met(long at, int node, int call) {}

    static FleetScheduler.Tasks tasks(VirtualTime time) {
        return new FleetScheduler.Tasks() {
            @Override
            public long nextDue() {
                return time.nextDue().orElse(Long.MAX_VALUE);
            }

            @Override
            public void runNext(long at) {
                time.runNext(at);
            }
        };
    }

    /** A node with calls that sleep, meet the others', and begin further calls and timers. */
    private static final class Busy {
        private final VirtualTime time = new VirtualTime();
        private final SplittableRandom random;
        private final BlockingCalls calls;
        private final int number;
        private final List<Met> meetings;
        private int made;

        Busy(FleetScheduler scheduler, int number, List<Met> meetings) {
            this.calls = new BlockingCalls(time, scheduler, scheduler.add(tasks(time)));
            this.random = new SplittableRandom(number);
            this.number = number;
            this.meetings = meetings;
            plan();
        }

        private void plan() {
            time.after(Duration.ofMillis(random.nextInt(4)), () -> calls.execute(this::call));
        }

        private void call() {
            int mine = made++;
            for (int i = random.nextInt(4); i >= 0; i--) {
                calls.pause(Duration.ofMillis(random.nextInt(3)));
                calls.awaitTurn();
                meetings.add(new Met(Duration.ofNanos(time.nanoTime()).toMillis(), number, mine));
            }
            plan();
            if (random.nextInt(8) == 0) {
                plan();
            }
        }
    }

    private FleetScheduler scheduler(int workers) {
        FleetScheduler scheduler = new FleetScheduler(workers);
        open.add(scheduler);
        return scheduler;
    }

    private List<Met> meetings(int workers) {
        FleetScheduler scheduler = scheduler(workers);
        List<Met> meetings = new ArrayList<>();
        List<Busy> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(new Busy(scheduler, i, meetings));
        }
        for (int i = 1; i <= 6; i++) {
            scheduler.advance(Duration.ofMillis(10 * i).toNanos());
        }
        nodes.forEach(node -> node.calls.shutdown());
        return meetings;
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    @Test
    void callsMeetInTheOrderOfTimeAndOfNodesHoweverManyWorkersThereAre() {
        List<Met> alone = meetings(1);
        assertThat(alone).hasSizeGreaterThan(NODES * 10);
        assertThat(alone)
                .isSortedAccordingTo((one, other) -> one.at() != other.at()
                        ? Long.compare(one.at(), other.at())
                        : Integer.compare(one.node(), other.node()));
        assertThat(meetings(2)).isEqualTo(alone);
        assertThat(meetings(5)).isEqualTo(alone);
    }

    @Test
    void aNodeRunsAheadOfTheOthersUntilACallAwaitsItsTurn() {
        FleetScheduler scheduler = scheduler(1);
        VirtualTime slow = new VirtualTime();
        VirtualTime fast = new VirtualTime();
        scheduler.add(tasks(slow));
        BlockingCalls calls = new BlockingCalls(fast, scheduler, scheduler.add(tasks(fast)));
        List<String> story = new ArrayList<>();
        slow.after(Duration.ofSeconds(1), () -> story.add("slow at 1"));
        slow.after(Duration.ofSeconds(3), () -> story.add("slow at 3"));
        calls.execute(() -> {
            calls.pause(Duration.ofSeconds(2));
            story.add("fast at 2");
            calls.pause(Duration.ofSeconds(2));
            calls.awaitTurn();
            story.add("fast at 4, in turn");
        });
        scheduler.advance(Duration.ofSeconds(5).toNanos());
        assertThat(story).containsExactly("fast at 2", "slow at 1", "slow at 3", "fast at 4, in turn");
    }

    @Test
    void inOrderATaskMayGiveAnotherNodeOne() {
        FleetScheduler scheduler = scheduler(3);
        VirtualTime first = new VirtualTime();
        VirtualTime second = new VirtualTime();
        scheduler.add(tasks(first));
        scheduler.add(tasks(second));
        List<String> story = new ArrayList<>();
        second.after(Duration.ofSeconds(1), () -> {
            first.after(Duration.ofSeconds(1), () -> story.add("given"));
            scheduler.changed(0);
        });
        scheduler.advance(Duration.ofSeconds(1).toNanos() - 1);
        scheduler.advanceInOrder(Duration.ofSeconds(1).toNanos());
        assertThat(story).containsExactly("given");
    }

    @Test
    void theFailureOfOneNodeEndsTheRunOfAll() {
        FleetScheduler scheduler = scheduler(2);
        List<Met> meetings = new ArrayList<>();
        List<Busy> nodes = List.of(new Busy(scheduler, 0, meetings), new Busy(scheduler, 1, meetings));
        nodes.get(1).time.after(Duration.ofMillis(3), () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> scheduler.advance(Duration.ofSeconds(1).toNanos()))
                .hasRootCauseMessage("broken");
        nodes.forEach(node -> node.calls.shutdown());
    }
}
