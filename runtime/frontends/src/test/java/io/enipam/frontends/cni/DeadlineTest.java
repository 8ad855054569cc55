package io.enipam.frontends.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The time of a call with many steps. */
class DeadlineTest {
    @Test
    void aStepBeginsWhileThereIsTime() {
        assertThatCode(() -> new Deadline(Duration.ofMinutes(1)).requireTime("the release"))
                .doesNotThrowAnyException();
    }

    @Test
    void noStepBeginsWhenTheTimeIsOverThoughOneThatIsDoneStillHasItsOutcome() {
        Deadline over = new Deadline(Duration.ZERO);

        assertThatThrownBy(() -> over.requireTime("the release"))
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(CniErrorCode.TRY_AGAIN))
                .hasMessage("the 0 ms of this call were over before the release was done");
        assertThat(over.outcome(CompletableFuture.completedFuture("ended"), "the release"))
                .isEqualTo("ended");
    }
}
