package io.enipam.examples.resilient;

import io.enipam.examples.resilient.ResilientFactory.ResilienceCounters;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The plugin {@code resilient-factory}: one factory, {@code resilient}, and its state. Thread-safe. */
public final class ResilientPlugin implements IpamPlugin {
    private final AtomicReference<@Nullable ResilientFactory> opened = new AtomicReference<>();

    @Override
    public List<ResourceFactoryProvider> resourceFactories() {
        return List.of(ResourceFactoryProvider.of(ResilientFactory.NAME, context -> {
            ResilientFactory factory = ResilientFactory.open(context);
            opened.set(factory);
            return factory;
        }));
    }

    @Override
    public List<Setting<?>> settings() {
        return ResilientSettings.ALL;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return List.of(Diagnostic.of(
                "state",
                "The breaker, the tokens left, and counts since the factory was opened.",
                List.of(),
                request -> state()));
    }

    /** {@code state}: the breaker, the tokens, and what happened since the factory was opened. */
    private DiagnosticTable state() {
        ResilientFactory open = Optional.ofNullable(opened.get())
                .filter(ResilientFactory::isOpen)
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE,
                        "the resilient factory is not open: plugin swap factory resilient opens it"));
        ProviderCircuitBreaker health = open.health();
        CircuitBreaker.Metrics metrics = health.metrics();
        ResilienceCounters counts = open.counts();
        String last = health.lastFailure();
        return DiagnosticTable.of("WHAT", "VALUE")
                .row("wraps", open.wraps())
                .row("breaker", health.state().name())
                .row("breaker opens trials in", health.state() == CircuitBreaker.State.OPEN ? seconds(health) : "-")
                .row("failure rate", rate(metrics.getFailureRate()))
                .row("creates in the window", String.valueOf(metrics.getNumberOfBufferedCalls()))
                .row("last failure", last.isEmpty() ? "-" : last)
                .row("tokens left", open.rate().tokensLeft() + " of " + open.rate().burst())
                .row("under way", String.valueOf(health.underWay()))
                .row("created", counts.created.toString())
                .row("failed", counts.failed.toString())
                .row("answered after the deadline", counts.late.toString())
                .row("refused by the breaker", counts.refusedByBreaker.toString())
                .row("refused by the rate limit", counts.refusedByRate.toString())
                .row("lists asked for", counts.listsAsked.toString())
                .row("lists asked of the provider", counts.listsOfProvider.toString());
    }

    private static String seconds(ProviderCircuitBreaker health) {
        return String.format(Locale.ROOT, "%.1f s", health.waitLeft().toMillis() / 1000.0);
    }

    /** The library says -1 while there are too few calls for a rate. */
    private static String rate(float percent) {
        return percent < 0 ? "-" : String.format(Locale.ROOT, "%.0f %%", percent);
    }
}
