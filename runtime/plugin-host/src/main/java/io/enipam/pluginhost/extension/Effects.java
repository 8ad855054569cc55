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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The effects of all running parts while this host leads, and what an operator does about them. Thread-safe. */
public final class Effects implements PartListener {
    private final Surroundings on;
    private final WhileLeading<EffectQueue> queues;
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
        this.queues = new WhileLeading<>(leadership, this::queue, EffectQueue::begin, EffectQueue::stop);
    }

    /** @param begin begins the step of a story for each time an effect is performed */
    public void traced(BiFunction<RunningPart, PendingEffect, Span> begin) {
        spans = begin;
    }

    private Optional<EffectQueue> queue(RunningPart part) {
        return part.part() instanceof Performer performer
                ? Optional.of(new EffectQueue(part, performer, on))
                : Optional.empty();
    }

    @Override
    public void opened(RunningPart part) {
        queues.opened(part);
    }

    @Override
    public void closing(RunningPart part) {
        queues.closing(part);
    }

    /** The effects that wait, by extension, then in the order in which they are performed. */
    public List<EffectView> all() {
        return queues.all().stream()
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
        Supplier<IpamException> none = () -> new IpamException(
                ErrorCode.NOT_FOUND,
                "plugin " + plugin + " has no effect " + id + " that waits",
                "'plugin effects " + plugin + "' shows those that do");
        EffectView view = all().stream()
                .filter(waiting ->
                        waiting.plugin().equals(plugin) && waiting.id().equals(id))
                .findFirst()
                .orElseThrow(none);
        return queues.of(view.extension()).orElseThrow(none).drop(id).thenApply(gone -> view);
    }

    private Stream<EffectQueue> of(String plugin) {
        return all().stream()
                .filter(view -> view.plugin().equals(plugin))
                .map(EffectView::extension)
                .distinct()
                .flatMap(extension -> queues.of(extension).stream());
    }

    /** When no effect of a claim waits any more; see {@link EffectQueue#settled}. */
    CompletableFuture<Void> settled(String extension, ClaimId claim) {
        return settled(extension, Cause.of(claim));
    }

    /** When no effect of a claim or a key waits any more; see {@link EffectQueue#settled}. */
    public CompletableFuture<Void> settled(String extension, Cause cause) {
        return queues.of(extension)
                .map(queue -> queue.settled(cause))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    boolean busy(String extension, ClaimId claim) {
        return queues.of(extension).filter(queue -> queue.busy(Cause.of(claim))).isPresent();
    }
}
