package io.enipam.pluginhost.controller;

import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import io.enipam.pluginhost.controller.ActiveController.Surroundings;
import io.enipam.pluginhost.controller.ControllerView.Load;
import io.enipam.pluginhost.controller.ControllerView.State;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.Controller;
import io.enipam.sdk.ledger.PendingEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * The controllers that run: each is active for as long as its part is open and this host leads. Thread-safe; {@code this} guards
 * which are active, and no call that waits is made under it.
 */
public final class Controllers implements PartListener {
    private final Effects effects;
    private final Surroundings on;
    private final Map<String, Managed> byExtension = new TreeMap<>(); // by this
    private final Map<String, ReconcileCounts> counts = new ConcurrentHashMap<>();
    private boolean leads; // by this
    private volatile TraceSink traces = TraceSink.NONE;

    /**
     * @param effects of the same host
     * @param leadership under which controllers are active
     * @param engine where outcomes are noted, and for pauses
     * @param events of sources that are lost
     * @param random spreads the pauses
     */
    public Controllers(
            Effects effects,
            Leadership leadership,
            TimeSource time,
            Scheduler engine,
            EventSink events,
            RandomGenerator random) {
        this.effects = effects;
        this.on = new Surroundings(leadership, time, engine, events, random);
        effects.traced(this::performing);
        leadership.follow(this::led);
    }

    /** A controller whose part runs. By the controllers' lock. */
    private static final class Managed {
        private final RunningPart part;
        private final Controller controller;
        private final KeyStories stories;
        private Optional<ActiveController> active = Optional.empty();
        /** When the sources of its former activity are closed. */
        private CompletableFuture<Void> closed = CompletableFuture.completedFuture(null);

        Managed(RunningPart part, Controller controller, KeyStories stories) {
            this.part = part;
            this.controller = controller;
            this.stories = stories;
        }
    }

    /** Where the keys' stories are recorded; to be called before the first part is opened. */
    public void traced(TraceSink sink) {
        traces = sink;
    }

    @Override
    public synchronized void opened(RunningPart part) {
        if (part.part() instanceof Controller controller) {
            KeyStories stories = new KeyStories(part.plugin(), part.name(), traces, effects);
            Managed managed = new Managed(part, controller, stories);
            byExtension.put(part.name(), managed);
            if (leads) {
                begin(managed);
            }
        }
    }

    @Override
    public synchronized void closing(RunningPart part) {
        Optional.ofNullable(byExtension.remove(part.name())).ifPresent(this::end);
    }

    private synchronized void led(boolean now) {
        leads = now;
        byExtension.values().forEach(now ? this::begin : this::end);
    }

    /** By this. */
    private void begin(Managed managed) {
        if (managed.active.isPresent()) {
            return;
        }
        ActiveController active =
                new ActiveController(managed.part, managed.controller, on, counts(managed.part), managed.stories);
        managed.active = Optional.of(active);
        managed.closed.thenRun(active::begin);
    }

    private ReconcileCounts counts(RunningPart part) {
        return counts.computeIfAbsent(part.name(), name -> new ReconcileCounts());
    }

    /** By this. */
    private void end(Managed managed) {
        managed.active.ifPresent(active -> managed.closed = active.stop());
        managed.active = Optional.empty();
    }

    private Span performing(RunningPart part, PendingEffect effect) {
        return effect.cause()
                .key()
                .flatMap(key -> managed(part.name()).map(managed -> managed.stories.performing(key, effect)))
                .orElse(Span.NONE);
    }

    private synchronized Optional<Managed> managed(String extension) {
        return Optional.ofNullable(byExtension.get(extension));
    }

    /** The controllers whose parts run, by extension. */
    public List<ControllerView> all() {
        return managed().stream().map(this::view).toList();
    }

    private synchronized List<Managed> managed() {
        return List.copyOf(byExtension.values());
    }

    private ControllerView view(Managed managed) {
        RunningPart part = managed.part;
        Optional<ActiveController> active;
        synchronized (this) {
            active = managed.active;
        }
        return active.map(ActiveController::view)
                .orElseGet(() -> new ControllerView(
                        part.plugin(),
                        part.name(),
                        State.FOLLOWING,
                        "",
                        Load.NONE,
                        counts(part).now(),
                        List.of()));
    }
}
