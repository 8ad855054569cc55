package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FactoryUnderTestTest {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @Test
    void aBatchIsNotWaitedForLongerThanTheDeadlineOfItsRequests() {
        try (FactoryUnderTest subject =
                new FactoryUnderTest(new OneAfterTheOther(), Set.of(Family.IPV4), PATIENCE, Clock.systemUTC())) {
            assertThatThrownBy(() -> subject.create(subject.requests(3)))
                    .hasMessageContaining("a stage was still open after PT5S");
        }
    }

    /** Its first stage completes within the deadline, each other one three seconds after the one before it. */
    private static final class OneAfterTheOther implements ResourceFactory {
        @Override
        public ResourceKind kind() {
            return new ResourceKind("slow");
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(Set.of(Family.IPV4), 10, 10, false);
        }

        @Override
        public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
            List<CompletionStage<CreateResult>> stages = new ArrayList<>();
            for (int i = 1; i <= requests.size(); i++) {
                stages.add(CompletableFuture.supplyAsync(
                        () -> Failed.of(ErrorKind.UNAVAILABLE, "slow"),
                        CompletableFuture.delayedExecutor(3L * i, TimeUnit.SECONDS, task -> new Thread(task).start())));
            }
            return stages;
        }

        @Override
        public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
            return List.of();
        }

        @Override
        public CompletionStage<List<Resource>> list() {
            return CompletableFuture.completedFuture(List.of());
        }
    }
}
