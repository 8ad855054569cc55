package io.enipam.diagnostics.testing;

import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Source;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A source of a test's own making: what it answers is the test's business. */
public final class FakeSource<T> implements Source<T> {
    private final String name;
    private final Class<T> type;
    private final Duration patience;
    private final boolean costly;
    private final Supplier<? extends CompletionStage<T>> answer;
    private final Function<T, List<Saying>> sayings;

    public FakeSource(
            String name,
            Class<T> type,
            Duration patience,
            boolean costly,
            Supplier<? extends CompletionStage<T>> answer,
            Function<T, List<Saying>> sayings) {
        this.name = name;
        this.type = type;
        this.patience = patience;
        this.costly = costly;
        this.answer = answer;
        this.sayings = sayings;
    }

    /** One that speaks as another does, and tells always the same. */
    public static <T> FakeSource<T> telling(Source<T> as, T told) {
        return new FakeSource<>(
                as.name(),
                as.type(),
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(told),
                as::sayings);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Class<T> type() {
        return type;
    }

    @Override
    public boolean costly() {
        return costly;
    }

    @Override
    public Duration patience() {
        return patience;
    }

    @Override
    public CompletionStage<T> ask() {
        return answer.get();
    }

    @Override
    public List<Saying> sayings(T told) {
        return sayings.apply(told);
    }
}
