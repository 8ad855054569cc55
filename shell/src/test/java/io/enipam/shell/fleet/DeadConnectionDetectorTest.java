package io.enipam.shell.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadConnectionDetectorTest {
    private final DeadConnectionDetector silence = new DeadConnectionDetector();

    private static long at(double seconds) {
        return Duration.ofMillis((long) (seconds * 1000)).toNanos();
    }

    @Test
    void whoever_asks_again_and_waits_in_vain_has_a_dead_line() {
        silence.recordSent(at(0));
        silence.recordSent(at(2));
        silence.recordSent(at(4));

        assertThat(silence.isTimedOut(at(16))).isFalse();
        assertThat(silence.isTimedOut(at(17.1))).isTrue();
    }

    @Test
    void one_question_may_take_as_long_as_it_likes() {
        silence.recordSent(at(0));
        silence.recordSent(at(0.5)); // its second half

        assertThat(silence.isTimedOut(at(600))).isFalse();
    }

    @Test
    void what_needed_no_answer_does_not_count_against_the_next_question() {
        silence.recordSent(at(0));
        silence.recordSent(at(600));

        assertThat(silence.isTimedOut(at(610))).isFalse();
    }

    @Test
    void a_word_from_there_ends_it() {
        silence.recordSent(at(0));
        silence.recordSent(at(2));
        silence.recordReceived();
        silence.recordSent(at(30));

        assertThat(silence.isTimedOut(at(40))).isFalse();
    }
}
