package io.enipam.shell.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.fleet.NodeRoute.DeadConnectionDetector;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadConnectionDetectorTest {
    private final DeadConnectionDetector silence = new DeadConnectionDetector();

    private static long at(double seconds) {
        return Duration.ofMillis((long) (seconds * 1000)).toNanos();
    }

    @Test
    void whoeverAsksAgainAndWaitsInVainHasADeadLine() {
        silence.recordSent(at(0));
        silence.recordSent(at(2));
        silence.recordSent(at(4));

        assertThat(silence.isTimedOut(at(16))).isFalse();
        assertThat(silence.isTimedOut(at(17.1))).isTrue();
    }

    @Test
    void oneQuestionMayTakeAsLongAsItLikes() {
        silence.recordSent(at(0));
        silence.recordSent(at(0.5)); // its second half

        assertThat(silence.isTimedOut(at(600))).isFalse();
    }

    @Test
    void whatNeededNoAnswerDoesNotCountAgainstTheNextQuestion() {
        silence.recordSent(at(0));
        silence.recordSent(at(600));

        assertThat(silence.isTimedOut(at(610))).isFalse();
    }

    @Test
    void aWordFromThereEndsIt() {
        silence.recordSent(at(0));
        silence.recordSent(at(2));
        silence.recordReceived();
        silence.recordSent(at(30));

        assertThat(silence.isTimedOut(at(40))).isFalse();
    }
}
