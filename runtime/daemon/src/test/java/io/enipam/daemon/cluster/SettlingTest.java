package io.enipam.daemon.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SettlingTest {
    /** About to pass from the largest to the smallest number. */
    private static final long START = Long.MAX_VALUE - 1;

    private final Settling<Boolean> settling = new Settling<>();

    @Test
    void the_first_thing_seen_is_told_at_once() {
        assertThat(settling.sees(false, START)).isFalse();
    }

    @Test
    void a_change_is_told_when_it_has_held() {
        settling.sees(true, START);
        assertThat(settling.sees(false, at(100))).isTrue();
        assertThat(settling.sees(false, at(105))).isTrue();
        assertThat(settling.sees(false, at(110))).isFalse();
    }

    @Test
    void what_is_over_before_it_has_held_is_not_told() {
        settling.sees(true, START);
        settling.sees(false, at(100));
        settling.sees(true, at(105));
        assertThat(settling.sees(false, at(112))).isTrue();
        assertThat(settling.sees(false, at(122))).isFalse();
    }

    @Test
    void what_goes_to_and_fro_is_told_once_a_minute_at_most() {
        boolean told = settling.sees(true, START);
        int changes = 0;
        for (int second = 5; second <= 3_600; second += 5) {
            boolean next = settling.sees(second / 15 % 2 == 0, at(second));
            changes += next == told ? 0 : 1;
            told = next;
        }
        assertThat(changes).isBetween(1, 60);
    }

    private static long at(int second) {
        return START + TimeUnit.SECONDS.toNanos(second);
    }
}
