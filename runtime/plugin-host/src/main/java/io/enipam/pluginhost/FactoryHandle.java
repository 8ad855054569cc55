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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * One user's hold on a factory that several may share: closing it ends the hold, and the last one closes the factory. Closing it again
 * does nothing.
 */
class FactoryHandle implements ResourceFactory {
    private final ResourceFactory shared;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    FactoryHandle(ResourceFactory shared, Runnable onClose) {
        this.shared = shared;
        this.onClose = onClose;
    }

    <T> T call(Supplier<T> work) {
        return work.get();
    }

    @Override
    public ResourceKind kind() {
        return call(shared::kind);
    }

    @Override
    public Capabilities capabilities() {
        return call(shared::capabilities);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return call(() -> shared.create(requests));
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return call(() -> shared.dispose(resources));
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return call(shared::list);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            call(() -> {
                onClose.run();
                return true;
            });
        }
    }

    /**
     * A factory lent to a plugin that wraps it. Its code runs under the class loader it belongs to: threads that it starts inherit
     * the caller's, and would tie the daemon to the plugin's classes for ever.
     */
    static final class LentFactory extends FactoryHandle {
        private final ClassLoader home;

        LentFactory(ResourceFactory factory, ClassLoader home) {
            super(factory, factory::close);
            this.home = home;
        }

        @Override
        <T> T call(Supplier<T> work) {
            return under(home, work);
        }

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
    }
}
