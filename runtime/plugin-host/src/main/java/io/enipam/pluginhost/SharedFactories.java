package io.enipam.pluginhost;

import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.engine.port.Scheduler;
import io.enipam.pluginhost.SharedFactory.OpenedFactory;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    private final Scheduler scheduler;
    private final Map<String, Shared> open = new HashMap<>();

    interface Opener {
        /**
         * @param chain the factories that are being opened around this one, outermost first, this one last
         * @throws FactoryException if it cannot be opened
         */
        OpenedFactory open(List<String> chain);
    }

    private static final class Shared {
        final CompletableFuture<SharedFactory> opening = new CompletableFuture<>();
        /** The names of those it wraps, now or earlier. */
        final Set<String> inside = new HashSet<>();

        int users = 1;
    }

    /**
     * @param openers finds a factory by its name; may block
     * @param names of factories, for messages
     */
    SharedFactories(Function<String, Optional<Opener>> openers, Supplier<TreeSet<String>> names, Scheduler scheduler) {
        this.openers = openers;
        this.names = names;
        this.scheduler = scheduler;
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
        Opener opener = opener(name);
        List<String> chain = new ArrayList<>(around);
        chain.add(name);
        if (around.contains(name)) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "factories wrap each other in a circle: " + String.join(" -> ", chain));
        }
        Shared mine = new Shared();
        Shared shared = join(name, mine, around);
        if (shared == mine) {
            build(name, opener, chain, mine);
        }
        SharedFactory opened = opened(name, shared);
        return new NamedFactory(name, new FactoryHandle(opened, () -> leave(name, shared)), opened.provider());
    }

    private Opener opener(String name) {
        return openers.apply(name)
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.MISCONFIGURED,
                        "there is no factory '" + name + "'; there is " + String.join(", ", names.get())));
    }

    private static SharedFactory opened(String name, Shared shared) {
        try {
            // two that wrap each other, opened at once, would wait for each other
            return shared.opening.get(OPENING.toSeconds(), TimeUnit.SECONDS);
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

    private synchronized Shared join(String name, Shared fresh, List<String> around) {
        if (!around.isEmpty()) {
            Optional.ofNullable(open.get(around.get(around.size() - 1))).ifPresent(wrapper -> wrapper.inside.add(name));
        }
        Shared known = open.putIfAbsent(name, fresh);
        if (known == null) {
            return fresh;
        }
        known.users++;
        return known;
    }

    private void build(String name, Opener opener, List<String> chain, Shared shared) {
        try {
            shared.opening.complete(new SharedFactory(name, opener.open(chain), () -> again(name), scheduler));
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                open.remove(name, shared);
            }
            shared.opening.completeExceptionally(e);
        }
    }

    /** Opens a factory by the code of now, in the place of an instance that is closed. */
    private OpenedFactory again(String name) {
        List<String> chain = new ArrayList<>(around(name));
        chain.add(name);
        return opener(name).open(chain);
    }

    /** The names of the open factories that wrap this one, directly or not. */
    synchronized Set<String> around(String name) {
        Set<String> all = new LinkedHashSet<>();
        Deque<String> inner = new ArrayDeque<>(List.of(name));
        while (!inner.isEmpty()) {
            String next = inner.pop();
            open.forEach((wrapper, shared) -> {
                if (shared.inside.contains(next) && !wrapper.equals(name) && all.add(wrapper)) {
                    inner.push(wrapper);
                }
            });
        }
        return all;
    }

    /**
     * Of these, those that are open, the wrapped ones before those that wrap them. Each, and what it wraps, stays open until it is
     * released, whoever else closes it. Waits for those that are being opened.
     */
    List<Held> hold(Collection<String> wanted) {
        List<Held> held = new ArrayList<>();
        for (String name : wanted) {
            hold(name).ifPresent(held::add);
        }
        held.sort(Comparator.comparingInt(one -> -around(one.name()).size()));
        return held;
    }

    private Optional<Held> hold(String name) {
        Map<String, Shared> all = new LinkedHashMap<>();
        synchronized (this) {
            Shared shared = open.get(name);
            if (shared == null) {
                return Optional.empty();
            }
            all.put(name, shared);
            shared.inside.forEach(inner -> Optional.ofNullable(open.get(inner)).ifPresent(it -> all.put(inner, it)));
            all.values().forEach(it -> it.users++);
        }
        Runnable release = () -> all.forEach(this::leave);
        try {
            return Optional.of(new Held(name, opened(name, all.get(name)), release));
        } catch (FactoryException e) {
            release.run();
            return Optional.empty();
        }
    }

    /** A factory that stays open until it is released. */
    record Held(String name, SharedFactory factory, Runnable release) {}

    private void leave(String name, Shared shared) {
        synchronized (this) {
            shared.users--;
            if (shared.users > 0) {
                return;
            }
            open.remove(name, shared);
        }
        shared.opening.whenComplete((opened, error) -> {
            if (opened != null) {
                opened.close();
            }
        });
    }
}
