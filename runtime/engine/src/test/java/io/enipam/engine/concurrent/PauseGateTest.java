package io.enipam.engine.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PauseGateTest {
    private final PauseGate gate = new PauseGate();
    private final List<String> log = new ArrayList<>();

    private CompletableFuture<Void> pass(String name, CompletableFuture<Void> until) {
        return gate.run(
                () -> {
                    log.add(name);
                    return until;
                },
                Duration.ofSeconds(1),
                new VirtualTime(),
                AssertionError::new);
    }

    @Test
    void quietBeginsWhenThoseInsideHaveEndedAndNobodyEntersBeforeItIsOver() {
        CompletableFuture<Void> inside = new CompletableFuture<>();
        pass("first", inside);
        CompletableFuture<Void> quiet = gate.pause();
        CompletableFuture<Void> late = pass("late", CompletableFuture.completedFuture(null));
        assertThat(quiet).isNotDone();

        inside.completeExceptionally(new IllegalStateException("failed"));

        assertThat(quiet).isCompleted();
        assertThat(late).isNotDone();
        assertThat(log).containsExactly("first");
        gate.resume();
        assertThat(late).isCompleted();
        assertThat(log).containsExactly("first", "late");
    }

    @Test
    void anEmptyGateIsQuietAtOnceAndAgain() {
        assertThat(gate.pause()).isCompleted();
        gate.resume();
        assertThat(gate.pause()).isCompleted();
    }
}
