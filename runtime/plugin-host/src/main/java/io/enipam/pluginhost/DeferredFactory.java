package io.enipam.pluginhost;

import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A factory a start needs, whether it can be opened yet or not. As long as it cannot, it makes nothing and has nothing, and
 * each {@link #list()}, which the engine repeats until it is answered, tries to open it again. Thread-safe.
 */
final class DeferredFactory implements ResourceFactory {
    private static final Capabilities NOTHING = new Capabilities(Set.of(Family.IPV4), 0, 1, false);
    private static final ResourceKind UNKNOWN = new ResourceKind("unknown");

    private final String name;
    private final Supplier<NamedFactory> opener;
    private final Executor blocking;
    private final Object opening = new Object();
    private volatile Optional<NamedFactory> open = Optional.empty();
    private volatile String trouble = "it is not open yet";
    private volatile boolean closed;

    /** @param opener opens the factory, which blocks; throws {@link FactoryException} if it cannot be opened */
    DeferredFactory(String name, Supplier<NamedFactory> opener, Executor blocking) {
        this.name = name;
        this.opener = opener;
        this.blocking = blocking;
    }

    /** Tries to open it now; blocks. Returns it, or nothing if it cannot be opened. */
    Optional<NamedFactory> tryOpen() {
        try {
            return Optional.of(opened());
        } catch (FactoryException e) {
            return Optional.empty();
        }
    }

    /** Why it is not open; empty if it is. */
    Optional<String> trouble() {
        return open.isPresent() || closed ? Optional.empty() : Optional.of("factory " + name + ": " + trouble);
    }

    private NamedFactory opened() {
        synchronized (opening) {
            if (open.isPresent()) {
                return open.get();
            }
            if (!closed) {
                try {
                    open = Optional.of(opener.get());
                } catch (FactoryException e) {
                    trouble = String.valueOf(e.getMessage());
                    throw e;
                }
            }
            if (closed) {
                endHold();
                throw new FactoryException(ErrorKind.UNAVAILABLE, "factory " + name + " is closed");
            }
            return open.get();
        }
    }

    private Optional<ResourceFactory> now() {
        return open.map(NamedFactory::factory);
    }

    @Override
    public ResourceKind kind() {
        return now().map(ResourceFactory::kind).orElse(UNKNOWN);
    }

    @Override
    public Capabilities capabilities() {
        return now().map(ResourceFactory::capabilities).orElse(NOTHING);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return now().map(factory -> factory.create(requests))
                .orElseGet(() -> requests.stream()
                        .map(request -> CompletableFuture.<CreateResult>completedStage(away()))
                        .toList());
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return now().map(factory -> factory.dispose(resources))
                .orElseGet(() -> resources.stream()
                        .map(resource -> CompletableFuture.<DisposeResult>completedStage(away()))
                        .toList());
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        Optional<ResourceFactory> factory = now();
        return factory.isPresent()
                ? factory.get().list()
                : CompletableFuture.supplyAsync(this::opened, blocking)
                        .thenCompose(named -> named.factory().list());
    }

    /** Ends it; one that is being opened just now is closed as soon as it is open. */
    @Override
    public void close() {
        closed = true;
        trouble = "it is closed";
        endHold();
    }

    private void endHold() {
        Optional<NamedFactory> last = open;
        open = Optional.empty();
        // closing twice is harmless: a hold ends once
        last.ifPresent(named -> named.factory().close());
    }

    private Failed away() {
        return Failed.of(ErrorKind.UNAVAILABLE, trouble().orElse("factory " + name + " was just opened"));
    }
}
