package io.enipam.kubernetes.api;

import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache that several informers use one after the other. Writes of an informer that was replaced have no effect,
 * and return as if nothing had changed: its answer may come minutes late. Thread-safe.
 */
public record EpochGuardedCache<T>(ItemStore<T> store, BooleanSupplier over) implements ItemStore<T> {
    @Override
    public String getKey(T item) {
        return store.getKey(item);
    }

    @Override
    public @Nullable T put(String key, T item) {
        return over.getAsBoolean() ? item : store.put(key, item);
    }

    @Override
    public @Nullable T remove(String key) {
        return over.getAsBoolean() ? null : store.remove(key);
    }

    @Override
    public Stream<String> keySet() {
        return over.getAsBoolean() ? Stream.empty() : store.keySet();
    }

    @Override
    public Stream<T> values() {
        return over.getAsBoolean() ? Stream.empty() : store.values();
    }

    @Override
    public int size() {
        return over.getAsBoolean() ? 0 : store.size();
    }

    @Override
    public @Nullable T get(String key) {
        return over.getAsBoolean() ? null : store.get(key);
    }
}
