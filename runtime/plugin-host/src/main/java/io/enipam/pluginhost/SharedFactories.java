package io.enipam.pluginhost;

import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Opens factories by their names. A factory is opened once however many use it: the pool, and those that wrap it.
 * Thread-safe; opening blocks.
 */
final class SharedFactories {
    private static final Duration OPENING = Duration.ofSeconds(30);

    private final Function<String, Optional<Opener>> openers;
    private final Supplier<TreeSet<String>> names;
    private final Map<String, Shared> open = new HashMap<>();

    interface Opener {
        /**
         * @param chain the factories that are being opened around this one, outermost first, this one last
         * @throws FactoryException if it cannot be opened
         */
        OpenedFactory open(List<String> chain);
    }

    /**
     * @param provider the name of the factory that has the resources in the end: its own, or that of the one it wraps
     */
    record OpenedFactory(ResourceFactory factory, String provider) {}

    private static final class Shared {
        final CompletableFuture<OpenedFactory> opening = new CompletableFuture<>();
        int users = 1;
    }

    /**
     * @param openers finds a factory by its name; may block
     * @param names of factories, for messages
     */
    SharedFactories(Function<String, Optional<Opener>> openers, Supplier<TreeSet<String>> names) {
        this.openers = openers;
        this.names = names;
    }

    /**
     * Opens a factory, or shares one that is open already. The factory returned is closed when its user is done.
     *
     * @throws FactoryException if there is none of this name, or it cannot be opened
     */
    NamedFactory open(String name) {
        return open(name, List.of());
    }

    NamedFactory open(String name, List<String> around) {
        Opener opener = openers.apply(name)
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.MISCONFIGURED,
                        "there is no factory '" + name + "'; there is " + String.join(", ", names.get())));
        List<String> chain = new ArrayList<>(around);
        chain.add(name);
        if (around.contains(name)) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "factories wrap each other in a circle: " + String.join(" -> ", chain));
        }
        Shared mine = new Shared();
        Shared shared = join(name, mine);
        if (shared == mine) {
            build(name, opener, chain, mine);
        }
        try {
            // two that wrap each other, opened at once, would wait for each other
            OpenedFactory opening = shared.opening.get(OPENING.toSeconds(), TimeUnit.SECONDS);
            return new NamedFactory(
                    name, new FactoryHandle(opening.factory(), () -> leave(name, shared)), opening.provider());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FactoryException refused) {
                throw refused;
            }
            throw new FactoryException(ErrorKind.INTERNAL, "factory " + name + " failed to open", e.getCause());
        } catch (TimeoutException e) {
            throw new FactoryException(
                    ErrorKind.DEADLINE_EXCEEDED,
                    "factory " + name + " was not open within " + OPENING.toSeconds() + " s",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "the opening of factory " + name + " was given up", e);
        }
    }

    private synchronized Shared join(String name, Shared fresh) {
        Shared known = open.putIfAbsent(name, fresh);
        if (known == null) {
            return fresh;
        }
        known.users++;
        return known;
    }

    private void build(String name, Opener opener, List<String> chain, Shared shared) {
        try {
            shared.opening.complete(opener.open(chain));
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                open.remove(name, shared);
            }
            shared.opening.completeExceptionally(e);
        }
    }

    private void leave(String name, Shared shared) {
        synchronized (this) {
            shared.users--;
            if (shared.users > 0) {
                return;
            }
            open.remove(name, shared);
        }
        shared.opening.join().factory().close();
    }
}
