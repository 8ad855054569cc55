package io.enipam.diagnostics.testing;

import io.enipam.diagnostics.sources.Source;
import io.enipam.diagnostics.sources.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A source of a test's own making: what it answers is the test's business. */
public final class FakeSource<T> extends Source<T> {
    private final boolean costly;
    private final Supplier<? extends CompletionStage<T>> answer;
    private final Function<T, List<Statement>> statements;

    public FakeSource(
            String name,
            Class<T> type,
            Duration patience,
            boolean costly,
            Supplier<? extends CompletionStage<T>> answer,
            Function<T, List<Statement>> statements) {
        super(name, type, patience);
        this.costly = costly;
        this.answer = answer;
        this.statements = statements;
    }

    /** One that speaks as another does, and tells always the same. */
    public static <T> FakeSource<T> telling(Source<T> as, T told) {
        return new FakeSource<>(
                as.name(),
                as.type(),
                Duration.ofSeconds(20),
                false,
                () -> CompletableFuture.completedFuture(told),
                as::statements);
    }

    @Override
    public boolean costly() {
        return costly;
    }

    @Override
    public CompletionStage<T> ask() {
        return answer.get();
    }

    @Override
    public List<Statement> statements(T told) {
        return statements.apply(told);
    }
}
