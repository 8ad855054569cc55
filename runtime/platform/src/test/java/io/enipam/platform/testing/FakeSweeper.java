package io.enipam.platform.testing;

import io.enipam.engine.port.EniSweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Finds one ENI to take and one to leave. */
public final class FakeSweeper implements EniSweeper {
    public static final Instant MADE = Instant.parse("2026-11-21T07:00:00Z");

    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        return CompletableFuture.completedStage(new Report(
                MADE.plusSeconds(3600),
                Duration.ofMillis(120),
                dryRun,
                4,
                List.of(
                        new Candidate(
                                "eni-a",
                                "Available",
                                "vsw-1",
                                List.of("10.0.0.7", "10.0.0.8"),
                                Optional.of(MADE),
                                Optional.of(Duration.ofHours(1)),
                                true,
                                "nobody knows it"),
                        new Candidate(
                                "eni-b",
                                "InUse",
                                "vsw-1",
                                List.of("10.0.0.9"),
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                "it hangs on instance i-2"))));
    }
}
