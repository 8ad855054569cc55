package io.enipam.aliyun;

import io.enipam.aliyun.eni.CloudFactory;
import io.enipam.engine.port.EniSweeper;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Sweeps what each factory on the instance left behind, as one sweep: fails if one of them cannot look. */
record CompositeEniSweeper(Supplier<List<CloudFactory>> factories) implements EniSweeper {
    private static final Report NOTHING = new Report(Instant.MAX, Duration.ZERO, false, 0, List.of());

    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        CompletionStage<Report> all = CompletableFuture.completedStage(NOTHING);
        for (CloudFactory factory : factories.get()) {
            all = all.thenCombine(factory.sweeper().sweep(dryRun), CompositeEniSweeper::plus);
        }
        return all;
    }

    private static Report plus(Report one, Report other) {
        return new Report(
                one.startedAt().isBefore(other.startedAt()) ? one.startedAt() : other.startedAt(),
                one.took().compareTo(other.took()) > 0 ? one.took() : other.took(),
                one.dryRun() || other.dryRun(),
                one.examined() + other.examined(),
                Stream.concat(one.candidates().stream(), other.candidates().stream())
                        .sorted(Comparator.comparing(Candidate::id))
                        .toList());
    }
}
