package io.enipam.engine.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class GateTest {
    private final Gate gate = new Gate();
    private final List<String> log = new ArrayList<>();

    private CompletableFuture<Void> pass(String name, CompletableFuture<Void> until) {
        return gate.pass(() -> {
            log.add(name);
            return until;
        });
    }

    @Test
    void quietBeginsWhenThoseInsideHaveEndedAndNobodyEntersBeforeItIsOver() {
        CompletableFuture<Void> inside = new CompletableFuture<>();
        pass("first", inside);
        CompletableFuture<Void> quiet = gate.quiet();
        CompletableFuture<Void> late = pass("late", CompletableFuture.completedFuture(null));
        assertThat(quiet).isNotDone();

        inside.completeExceptionally(new IllegalStateException("failed"));

        assertThat(quiet).isCompleted();
        assertThat(late).isNotDone();
        assertThat(log).containsExactly("first");
        gate.open();
        assertThat(late).isCompleted();
        assertThat(log).containsExactly("first", "late");
    }

    @Test
    void anEmptyGateIsQuietAtOnceAndAgain() {
        assertThat(gate.quiet()).isCompleted();
        gate.open();
        assertThat(gate.quiet()).isCompleted();
    }
}
