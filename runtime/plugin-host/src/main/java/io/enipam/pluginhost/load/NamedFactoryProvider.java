package io.enipam.pluginhost.load;

import io.enipam.sdk.PluginContext;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceFactoryProvider;

/** A plugin's factory, whose name was asked for once. */
final class NamedFactoryProvider implements ResourceFactoryProvider {
    private final String name;
    private final ResourceFactoryProvider provider;

    NamedFactoryProvider(String name, ResourceFactoryProvider provider) {
        this.name = name;
        this.provider = provider;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public ResourceFactory open(PluginContext context) {
        return provider.open(context);
    }

    @Override
    public String toString() {
        return name;
    }
}
