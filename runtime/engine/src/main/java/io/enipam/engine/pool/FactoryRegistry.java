package io.enipam.engine.pool;

import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.FactorySet;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The factories there are, by name. Thread-safe. */
public final class FactoryRegistry {
    private static final ResourceKind UNKNOWN = new ResourceKind("unknown");

    private final Map<String, NamedFactory> factories = new LinkedHashMap<>();
    private String active;

    public FactoryRegistry(FactorySet supplies) {
        active = supplies.active().name();
        factories.put(active, supplies.active());
        supplies.leaving().forEach(leaving -> factories.putIfAbsent(leaving.name(), leaving));
    }

    /** What a factory makes, as far as it says; it is asked again once it was listed. */
    public static ResourceKind kindOf(NamedFactory factory) {
        try {
            ResourceKind kind = factory.factory().kind();
            return kind == null ? UNKNOWN : kind;
        } catch (RuntimeException | LinkageError e) {
            return UNKNOWN;
        }
    }

    static void reject(EventSink events, String factory, String what) {
        events.error("FactoryRejected", factory, "factory " + factory + " " + what);
    }

    public synchronized NamedFactory active() {
        return of(active);
    }

    public synchronized List<NamedFactory> others() {
        return factories.values().stream()
                .filter(factory -> !factory.name().equals(active))
                .toList();
    }

    /** The maker of a resource; one whose maker is unknown is the active one's. */
    public synchronized NamedFactory makerOf(Resource resource) {
        return of(factories.containsKey(resource.factory()) ? resource.factory() : active);
    }

    synchronized Optional<NamedFactory> find(String name) {
        return Optional.ofNullable(factories.get(name));
    }

    synchronized void add(NamedFactory factory) {
        factories.put(factory.name(), factory);
    }

    synchronized void activate(String name) {
        active = of(name).name();
    }

    /** A factory is no more; the active one stays. */
    public synchronized void forget(String name) {
        if (!name.equals(active)) {
            factories.remove(name);
        }
    }

    private NamedFactory of(String name) {
        return Objects.requireNonNull(factories.get(name), () -> "there is no factory " + name);
    }
}
