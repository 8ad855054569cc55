package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.node.cluster.NodeStatusUpdater.ChangeDebouncer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChangeDebouncerTest {
    /** About to pass from the largest to the smallest number. */
    private static final long START = Long.MAX_VALUE - 1;

    private final ChangeDebouncer<Boolean> settling = new ChangeDebouncer<>();

    @Test
    void theFirstThingSeenIsToldAtOnce() {
        assertThat(settling.observe(false, START)).isFalse();
    }

    @Test
    void aChangeIsToldWhenItHasHeld() {
        settling.observe(true, START);
        assertThat(settling.observe(false, at(100))).isTrue();
        assertThat(settling.observe(false, at(105))).isTrue();
        assertThat(settling.observe(false, at(110))).isFalse();
    }

    @Test
    void whatIsOverBeforeItHasHeldIsNotTold() {
        settling.observe(true, START);
        settling.observe(false, at(100));
        settling.observe(true, at(105));
        assertThat(settling.observe(false, at(112))).isTrue();
        assertThat(settling.observe(false, at(122))).isFalse();
    }

    @Test
    void whatGoesToAndFroIsToldOnceAMinuteAtMost() {
        boolean told = settling.observe(true, START);
        int changes = 0;
        for (int second = 5; second <= 3_600; second += 5) {
            boolean next = settling.observe(second / 15 % 2 == 0, at(second));
            changes += next == told ? 0 : 1;
            told = next;
        }
        assertThat(changes).isBetween(1, 60);
    }

    private static long at(int second) {
        return START + TimeUnit.SECONDS.toNanos(second);
    }
}
