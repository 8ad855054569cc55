package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.aliyun.eni.EniOperation.Progress;
import io.enipam.aliyun.eni.EniOperation.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EniTransitionsTest {
    @ParameterizedTest
    @CsvSource({
        // goal, seen, asked, moved, overdue, stuck, deleted, next
        "ATTACHED, AVAILABLE, , false, false, false, false, ATTACH",
        "ATTACHED, AVAILABLE, ATTACH, false, false, false, false, WAIT",
        "ATTACHED, AVAILABLE, ATTACH, true, false, false, false, FAILED",
        "ATTACHED, AVAILABLE, ATTACH, false, true, false, false, FAILED",
        "ATTACHED, AVAILABLE, , false, false, true, false, FAILED",
        "ATTACHED, ATTACHING, ATTACH, true, true, true, false, WAIT",
        "ATTACHED, IN_USE, ATTACH, true, false, false, false, ARRIVED",
        "ATTACHED, DETACHING, ATTACH, true, false, false, false, FAILED",
        "ATTACHED, DELETING, ATTACH, true, false, false, false, FAILED",
        "ATTACHED, , ATTACH, false, false, false, false, WAIT",
        "ATTACHED, , ATTACH, false, true, false, false, FAILED",
        "ABSENT, , , false, false, false, false, DELETE",
        "ABSENT, , DELETE, false, false, false, false, WAIT",
        "ABSENT, , DELETE, false, true, false, false, DELETE",
        "ABSENT, , , false, false, false, true, ARRIVED",
        "REATTACHED, , , false, false, false, false, ATTACH",
        "REATTACHED, , ATTACH, false, false, false, false, WAIT",
        "REATTACHED, AVAILABLE, , false, false, false, false, ATTACH",
        "REATTACHED, AVAILABLE, ATTACH, true, false, false, false, FAILED",
        "REATTACHED, DETACHING, , false, false, false, false, WAIT",
        "REATTACHED, DELETING, , false, false, false, false, WAIT",
        "REATTACHED, IN_USE, , false, false, false, false, ARRIVED",
        "ABSENT, IN_USE, , false, false, false, false, DETACH",
        "ABSENT, IN_USE, DETACH, false, false, false, false, WAIT",
        "ABSENT, IN_USE, DETACH, false, true, false, false, DETACH",
        "ABSENT, IN_USE, DELETE, false, false, false, false, DETACH",
        "ABSENT, DETACHING, DETACH, false, true, false, false, WAIT",
        "ABSENT, DETACHING, DETACH, false, true, true, false, DETACH",
        "ABSENT, AVAILABLE, DETACH, false, false, false, false, DELETE",
        "ABSENT, AVAILABLE, DELETE, false, false, false, false, WAIT",
        "ABSENT, AVAILABLE, DELETE, false, true, false, false, DELETE",
        "ABSENT, DELETING, DELETE, false, true, false, false, WAIT",
        "ABSENT, DELETING, DELETE, false, true, true, false, DELETE",
        "ABSENT, ATTACHING, , false, false, false, false, WAIT",
        "ABSENT, OTHER, , false, false, false, false, WAIT"
    })
    void theNextStepFollowsFromWhatIsSeen(
            Goal goal,
            CloudEniStatus seen,
            Step asked,
            boolean moved,
            boolean overdue,
            boolean stuck,
            boolean deleted,
            Step next) {
        var progress = new Progress(Optional.ofNullable(asked), moved, overdue, stuck, deleted);

        assertThat(EniOperation.next(goal, Optional.ofNullable(seen), progress)).isEqualTo(next);
    }

    @Test
    void aStepOutsideTheTableIsABug() {
        Eni eni = new Eni("eni-1", "vsw-1", EniState.IN_USE, Instant.EPOCH, new EniOperation(Goal.ATTACHED), false);

        Assertions.assertThatThrownBy(() -> eni.become(EniState.ATTACHING, Instant.EPOCH))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("eni-1");
    }

    @Test
    void looksComeQuicklyFirstAndNeverSlowerThanThreeSeconds() {
        assertThat(PollSchedule.before(0, false)).isEqualTo(Duration.ofMillis(100));
        assertThat(PollSchedule.before(2, false)).isEqualTo(Duration.ofMillis(400));
        assertThat(PollSchedule.before(1000, false)).isEqualTo(Duration.ofSeconds(3));
    }
}
