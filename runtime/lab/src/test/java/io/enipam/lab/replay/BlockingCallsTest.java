package io.enipam.lab.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BlockingCallsTest {
    private final VirtualTime time = new VirtualTime();
    private final FleetScheduler scheduler = new FleetScheduler(1);
    private final BlockingCalls calls =
            new BlockingCalls(time, scheduler, scheduler.add(FleetSchedulerTest.tasks(time)));
    /** Written by all threads, without a lock: one runs at a time. */
    private final List<String> story = new ArrayList<>();

    private void advance(Duration by) {
        long until = time.nanoTime() + by.toNanos();
        scheduler.advance(until);
        time.advance(Duration.ofNanos(until - time.nanoTime()));
    }

    private void sleeper(String name, int seconds) {
        calls.execute(() -> {
            for (int i = 0; i < 3; i++) {
                story.add(name + " at " + Duration.ofNanos(time.nanoTime()).toSeconds());
                calls.pause(Duration.ofSeconds(seconds));
            }
            story.add(name + " ends");
        });
    }

    @Test
    void tasksThatSleepGoOnInTheOrderOfVirtualTime() {
        sleeper("a", 2);
        sleeper("b", 3);
        assertThat(story).as("nothing runs before time passes").isEmpty();
        advance(Duration.ofSeconds(5));
        assertThat(story).containsExactly("a at 0", "b at 0", "a at 2", "b at 3", "a at 4");
        advance(Duration.ofMinutes(1));
        assertThat(story).endsWith("b at 6", "a ends", "b ends");
    }

    @Test
    void aTaskMayBeginOthersWhichComeAfterIt() {
        calls.execute(() -> {
            sleeper("inner", 1);
            story.add("outer ends");
        });
        advance(Duration.ZERO);
        assertThat(story).containsExactly("outer ends", "inner at 0");
    }

    @Test
    void theFailureOfATaskFailsTheRun() {
        calls.execute(() -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(() -> advance(Duration.ZERO)).hasRootCauseMessage("broken");
    }

    @Test
    void aThreadOfNoTaskCannotSleep() {
        assertThatThrownBy(() -> calls.pause(Duration.ofSeconds(1))).hasMessageContaining("only a task");
    }

    @Test
    void theEndInterruptsWhatSleepsAndEndsTheThreads() throws InterruptedException {
        CountDownLatch interrupted = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        calls.execute(() -> {
            threads.add(Thread.currentThread());
            try {
                calls.sleep(Duration.ofDays(1));
            } catch (InterruptedException over) {
                interrupted.countDown();
            }
        });
        advance(Duration.ZERO);
        calls.shutdown();
        scheduler.close();
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        threads.get(0).join(30_000);
        assertThat(threads.get(0).isAlive()).isFalse();
    }
}
