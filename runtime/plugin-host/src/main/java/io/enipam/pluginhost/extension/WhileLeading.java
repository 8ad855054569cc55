package io.enipam.pluginhost.extension;

import io.enipam.engine.port.Leadership;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What runs for each part of one kind while the part is open and this host leads. Thread-safe; {@code this} guards which do, and they are
 * begun and stopped under it.
 */
final class WhileLeading<A> implements PartListener {
    private final Function<RunningPart, Optional<A>> make;
    private final Consumer<A> begin;
    private final Consumer<A> stop;
    private final Map<String, RunningPart> parts = new HashMap<>(); // by this
    private boolean leads; // by this
    /** Changed by this. */
    private final Map<String, A> active = new ConcurrentHashMap<>();

    /**
     * @param make makes what is begun for a part; empty for a part of another kind
     * @param begin must not block
     * @param stop is called once, after {@code begin}; must not block
     */
    WhileLeading(Leadership leadership, Function<RunningPart, Optional<A>> make, Consumer<A> begin, Consumer<A> stop) {
        this.make = make;
        this.begin = begin;
        this.stop = stop;
        leadership.follow(this::led);
    }

    @Override
    public synchronized void opened(RunningPart part) {
        parts.put(part.name(), part);
        if (leads) {
            begin(part);
        }
    }

    @Override
    public synchronized void closing(RunningPart part) {
        parts.remove(part.name());
        end(part.name());
    }

    private synchronized void led(boolean now) {
        leads = now;
        if (now) {
            parts.values().forEach(this::begin);
        } else {
            parts.keySet().forEach(this::end);
        }
    }

    /** By this. What is begun is found under its name already. */
    private void begin(RunningPart part) {
        if (!active.containsKey(part.name())) {
            make.apply(part).ifPresent(made -> {
                active.put(part.name(), made);
                begin.accept(made);
            });
        }
    }

    /** By this. */
    private void end(String name) {
        Optional.ofNullable(active.remove(name)).ifPresent(stop);
    }

    /** What runs for an extension now. */
    Optional<A> of(String extension) {
        return Optional.ofNullable(active.get(extension));
    }

    /** All that runs now, in no order. */
    Collection<A> all() {
        return List.copyOf(active.values());
    }
}
