package io.enipam.pluginhost;

import io.enipam.engine.IpamEngine;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.PoolFactories.FactoryView;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PolicyPort;
import io.enipam.pluginhost.load.LoadedPlugin;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.ResourceFactoryProvider;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts a plugin that is loaded from the files of now in the place of the one that is loaded. The new one is loaded, checked, and its
 * policy opened if that is in force, before the former one is closed; whatever fails leaves the former one. One reload or swap at a
 * time, which {@link PluginSwapper} sees to.
 */
public final class PluginReloader {
    private static final String GOES_ON = "what was loaded before goes on";

    private final PluginHost host;
    private final ActiveSelection inForce;
    private final IpamEngine engine;
    private final EventSink events;

    PluginReloader(PluginHost host, ActiveSelection inForce, IpamEngine engine, EventSink events) {
        this.host = host;
        this.inForce = inForce;
        this.engine = engine;
        this.events = events;
    }

    /** Loads it, and checks that it can take the place of the former one. Blocks, and changes nothing. */
    LoadedPlugin loaded(String id) {
        Optional<GuardedPlugin> former = former(id);
        former.ifPresent(this::refuseOpenFactories);
        LoadedPlugin fresh;
        try {
            fresh = host.catalog().loadAnew(id);
        } catch (PluginLoadException e) {
            throw refused(id, String.valueOf(e.getMessage()), GOES_ON, e);
        }
        try {
            host.checkSettings(fresh);
            former.flatMap(this::policyInForce).ifPresent(name -> requirePolicy(fresh, name));
            return fresh;
        } catch (IllegalArgumentException e) {
            host.catalog().discard(fresh);
            throw refused(id, String.valueOf(e.getMessage()), "correct enipam.yaml and restart the daemon", e);
        } catch (IpamException e) {
            host.catalog().discard(fresh);
            throw e;
        }
    }

    private static void requirePolicy(LoadedPlugin fresh, String name) {
        if (fresh.parts().policies().stream().noneMatch(policy -> policy.name().equals(name))) {
            throw refused(
                    fresh.manifest().id(),
                    "policy " + name + " is in force, and the new one does not bring it",
                    "swap to another policy first: plugin swap policy watermark",
                    null);
        }
    }

    /** Puts it in the place of the former one. Blocks while its policy is opened, if that is in force. */
    PluginReload use(LoadedPlugin fresh) {
        String id = fresh.manifest().id();
        Optional<GuardedPlugin> former = former(id);
        put(fresh);
        try {
            former.flatMap(this::policyInForce).ifPresent(this::openAnew);
        } catch (FactoryException e) {
            former.ifPresent(unit -> put(unit.loaded()));
            host.retire(host.unit(fresh));
            throw refused(id, String.valueOf(e.getMessage()), GOES_ON, e);
        }
        former.ifPresent(host::retire);
        String from = former.map(unit -> unit.loaded().manifest().version()).orElse("");
        String to = fresh.manifest().version();
        String instead = from.isEmpty() ? "" : " in the place of " + from;
        events.info("PluginReloaded", id, "plugin " + id + " " + to + " was loaded from " + fresh.source() + instead);
        return new PluginReload(id, from, to);
    }

    private void openAnew(String policy) {
        PolicyPort next = host.policy(policy);
        Optional<PolicyPort> replaced = inForce.policy(next);
        engine.use(next);
        replaced.ifPresent(last -> host.release(last, true));
    }

    private void put(LoadedPlugin plugin) {
        try {
            host.catalog().use(plugin);
        } catch (PluginLoadException e) {
            host.catalog().discard(plugin);
            throw refused(plugin.manifest().id(), String.valueOf(e.getMessage()), GOES_ON, e);
        }
    }

    private Optional<GuardedPlugin> former(String id) {
        return host.catalog().plugin(id).map(host::unit);
    }

    private Optional<String> policyInForce(GuardedPlugin unit) {
        return Optional.of(inForce.policyInForce())
                .filter(name -> unit.policy(name).isPresent());
    }

    private void refuseOpenFactories(GuardedPlugin unit) {
        unit.loaded().parts().factories().stream()
                .map(ResourceFactoryProvider::name)
                .filter(unit::isOpen)
                .findFirst()
                .ifPresent(name -> {
                    throw refused(
                            unit.loaded().manifest().id(),
                            "its factory " + name + " is in use, " + lent(name),
                            "swap to another factory and wait until this one has left, or restart the daemon",
                            null);
                });
    }

    private String lent(String factory) {
        return engine.factories().stream()
                .filter(view -> view.name().equals(factory))
                .findFirst()
                .map(PluginReloader::lent)
                .orElse("by a factory around it");
    }

    private static String lent(FactoryView view) {
        return "with " + view.resources() + " resources, " + view.leases() + " of them lent";
    }

    private static IpamException refused(String id, String why, String hint, @Nullable Throwable cause) {
        String message = "plugin " + id + " is not loaded anew: " + why;
        return cause == null
                ? new IpamException(ErrorCode.PLUGIN_FAILED, message, hint)
                : new IpamException(ErrorCode.PLUGIN_FAILED, message, hint, cause);
    }

    /** @param from the version that was loaded before; empty if none was */
    public record PluginReload(String id, String from, String to) {}
}
