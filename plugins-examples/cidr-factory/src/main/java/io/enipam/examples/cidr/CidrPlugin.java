package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.CidrSettings;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.IpamPlugin;
import io.enipam.sdk.ResourceFactoryProvider;
import io.enipam.sdk.Setting;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The plugin {@code cidr-factory}: one factory, {@code cidr}, and what can be asked about it. Thread-safe. */
public final class CidrPlugin implements IpamPlugin {
    private final AtomicReference<@Nullable CidrFactory> opened = new AtomicReference<>();

    @Override
    public List<ResourceFactoryProvider> resourceFactories() {
        return List.of(ResourceFactoryProvider.of(CidrFactory.NAME, context -> {
            CidrFactory factory = CidrFactory.open(context);
            opened.set(factory);
            return factory;
        }));
    }

    @Override
    public List<Setting<?>> settings() {
        return CidrSettings.ALL;
    }

    @Override
    public List<Diagnostic> diagnostics() {
        return CidrDiagnostics.of(this::factory);
    }

    private Optional<CidrFactory> factory() {
        return Optional.ofNullable(opened.get()).filter(CidrFactory::isOpen);
    }
}
