package io.enipam.pluginhost;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A factory lent to a plugin that wraps it. Its code runs under the class loader it belongs to: threads that it starts inherit
 * the caller's, and would tie the daemon to the plugin's classes for ever.
 */
final class ClassLoaderScopedFactory implements ResourceFactory {
    private final ResourceFactory factory;
    private final ClassLoader home;

    ClassLoaderScopedFactory(ResourceFactory factory, ClassLoader home) {
        this.factory = factory;
        this.home = home;
    }

    /** Runs something under a context class loader. */
    static <T> T under(ClassLoader loader, Supplier<T> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public ResourceKind kind() {
        return under(home, factory::kind);
    }

    @Override
    public Capabilities capabilities() {
        return under(home, factory::capabilities);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return under(home, () -> factory.create(requests));
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return under(home, () -> factory.dispose(resources));
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return under(home, factory::list);
    }

    @Override
    public void close() {
        under(home, () -> {
            factory.close();
            return true;
        });
    }
}
