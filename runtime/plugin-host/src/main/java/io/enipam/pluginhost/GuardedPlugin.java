package io.enipam.pluginhost;

import io.enipam.pluginhost.guard.PluginGuard;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.sdk.PoolPolicyProvider;
import io.enipam.sdk.ResourceFactoryProvider;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** A loaded plugin with its guard, and which of its parts are open or could not be opened. Thread-safe. */
final class GuardedPlugin {
    private final LoadedPlugin loaded;
    private final PluginGuard guard;
    private final Map<String, String> refusals = new LinkedHashMap<>();
    private final TreeSet<String> open = new TreeSet<>();
    private Instant since;

    GuardedPlugin(LoadedPlugin loaded, PluginGuard guard, Instant now) {
        this.loaded = loaded;
        this.guard = guard;
        this.since = now;
    }

    LoadedPlugin loaded() {
        return loaded;
    }

    Optional<PoolPolicyProvider> policy(String name) {
        return loaded.parts().policies().stream()
                .filter(policy -> policy.name().equals(name))
                .findFirst();
    }

    Optional<ResourceFactoryProvider> factory(String name) {
        return loaded.parts().factories().stream()
                .filter(factory -> factory.name().equals(name))
                .findFirst();
    }

    PluginGuard guard() {
        return guard;
    }

    synchronized void opened(String part, Instant now) {
        refusals.remove(part);
        if (open.add(part)) {
            since = now;
        }
    }

    synchronized void closed(String part, Instant now) {
        if (open.remove(part)) {
            since = now;
        }
    }

    synchronized void refused(String part, String why, Instant now) {
        refusals.put(part, why);
        since = now;
    }

    synchronized boolean isOpen(String part) {
        return open.contains(part);
    }

    synchronized boolean inUse() {
        return !open.isEmpty();
    }

    /** Why a part of it could not be opened when it was asked for last; empty if none was refused. */
    synchronized Optional<String> refusal() {
        return refusals.values().stream().findFirst();
    }

    /** When one of its parts was last opened, closed or refused. */
    synchronized Instant since() {
        return since;
    }
}
