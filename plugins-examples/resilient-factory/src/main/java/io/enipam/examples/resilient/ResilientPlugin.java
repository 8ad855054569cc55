package io.enipam.examples.resilient;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
                request -> Optional.ofNullable(opened.get())
                        .filter(ResilientFactory::isOpen)
                        .orElseThrow(() -> new FactoryException(
                                ErrorKind.UNAVAILABLE,
                                "the resilient factory is not open: plugin swap factory resilient opens it"))
                        .state()));
    }
}
