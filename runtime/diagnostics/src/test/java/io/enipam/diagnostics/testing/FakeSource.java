package io.enipam.diagnostics.testing;

import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sources of a test's own making: what they answer is the test's business. */
public final class FakeSource {
    private FakeSource() {}

    public static <T> Source<T> of(
            String name,
            Class<T> type,
            Duration patience,
            boolean costly,
            Supplier<? extends CompletionStage<T>> answer,
            Function<T, List<Statement>> statements) {
        return new Source<>(name, type, patience, costly, Optional::empty, anew -> answer.get(), statements);
    }

    /** One that speaks as another does, and tells always the same. */
    public static <T> Source<T> telling(Source<T> as, T told) {
        return of(
                as.name(),
                as.type(),
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(told),
                as.statements());
    }
}
