package io.enipam.pluginhost.extension;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.pluginhost.extension.EffectQueue.Surroundings;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Performer;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The effects of all running parts while this host leads, and what an operator does about them. Thread-safe. */
public final class Effects implements PartListener {
    private final Surroundings on;
    private final Map<String, RunningPart> parts = new HashMap<>(); // by this
    private boolean leads; // by this
    /** Those that are performed; changed by this. */
    private final Map<String, EffectQueue> byExtension = new ConcurrentHashMap<>();

    private volatile BiFunction<RunningPart, PendingEffect, Span> spans = (part, effect) -> Span.NONE;

    /** Those of a host without other replicas. */
    public Effects(TimeSource time, Scheduler engine, RandomGenerator random) {
        this(Leadership.alone(""), time, engine, random);
    }

    /**
     * @param leadership under which effects are performed
     * @param engine for the pauses between tries
     * @param random spreads them
     */
    public Effects(Leadership leadership, TimeSource time, Scheduler engine, RandomGenerator random) {
        this.on = new Surroundings(leadership, time, engine, random, (part, effect) -> spans.apply(part, effect));
        leadership.follow(this::led);
    }

    /** @param begin begins the step of a story for each time an effect is performed */
    public void traced(BiFunction<RunningPart, PendingEffect, Span> begin) {
        spans = begin;
    }

    @Override
    public synchronized void opened(RunningPart part) {
        if (part.part() instanceof Performer) {
            parts.put(part.name(), part);
            if (leads) {
                begin(part);
            }
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

    /** By this. */
    private void begin(RunningPart part) {
        if (part.part() instanceof Performer performer && !byExtension.containsKey(part.name())) {
            EffectQueue queue = new EffectQueue(part, performer, on);
            byExtension.put(part.name(), queue);
            queue.begin();
        }
    }

    /** By this. */
    private void end(String name) {
        Optional.ofNullable(byExtension.remove(name)).ifPresent(EffectQueue::stop);
    }

    /** The effects that wait, by extension, then in the order in which they are performed. */
    public List<EffectView> all() {
        return byExtension.values().stream()
                .flatMap(queue -> queue.views().stream())
                .sorted(Comparator.comparing(EffectView::extension))
                .toList();
    }

    /** Performs those of a plugin that wait for their next try now. Returns how many. */
    public int retry(String plugin, Optional<String> id) {
        return of(plugin).mapToInt(queue -> queue.retry(id)).sum();
    }

    /**
     * Takes an effect off without performing it.
     *
     * @return completes with the effect; fails with {@link IpamException} if there is none of this id
     */
    public CompletableFuture<EffectView> drop(String plugin, String id) {
        EffectView view = all().stream()
                .filter(waiting ->
                        waiting.plugin().equals(plugin) && waiting.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND,
                        "plugin " + plugin + " has no effect " + id + " that waits",
                        "'plugin effects " + plugin + "' shows those that do"));
        return byExtension.get(view.extension()).drop(id).thenApply(gone -> view);
    }

    private Stream<EffectQueue> of(String plugin) {
        return all().stream()
                .filter(view -> view.plugin().equals(plugin))
                .map(EffectView::extension)
                .distinct()
                .flatMap(extension -> Optional.ofNullable(byExtension.get(extension)).stream());
    }

    /** When no effect of a claim waits any more; see {@link EffectQueue#settled}. */
    CompletableFuture<Void> settled(String extension, ClaimId claim) {
        return settled(extension, Cause.of(claim));
    }

    /** When no effect of a claim or a key waits any more; see {@link EffectQueue#settled}. */
    public CompletableFuture<Void> settled(String extension, Cause cause) {
        return Optional.ofNullable(byExtension.get(extension))
                .map(queue -> queue.settled(cause))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    boolean busy(String extension, ClaimId claim) {
        return Optional.ofNullable(byExtension.get(extension))
                .filter(queue -> queue.busy(Cause.of(claim)))
                .isPresent();
    }
}
