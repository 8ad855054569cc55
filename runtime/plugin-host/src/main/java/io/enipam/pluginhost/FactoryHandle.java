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

/** One user's hold on a factory that several may share: closing it ends the hold, and the last one closes the factory. */
final class FactoryHandle implements ResourceFactory {
    private final ResourceFactory shared;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    FactoryHandle(ResourceFactory shared, Runnable onClose) {
        this.shared = shared;
        this.onClose = onClose;
    }

    @Override
    public ResourceKind kind() {
        return shared.kind();
    }

    @Override
    public Capabilities capabilities() {
        return shared.capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return shared.create(requests);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return shared.dispose(resources);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return shared.list();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }
}
