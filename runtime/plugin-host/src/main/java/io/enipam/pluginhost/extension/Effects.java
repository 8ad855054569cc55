package io.enipam.pluginhost.extension;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.EffectQueue.EffectView;
import io.enipam.pluginhost.extension.Extensions.PartListener;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Performer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** The effects of all running parts, and what an operator does about them. Thread-safe. */
public final class Effects implements PartListener {
    private final TimeSource time;
    private final Scheduler engine;
    private final RandomGenerator random;
    private final Map<String, EffectQueue> byExtension = new ConcurrentHashMap<>();

    /**
     * @param engine for the pauses between tries
     * @param random spreads them
     */
    public Effects(TimeSource time, Scheduler engine, RandomGenerator random) {
        this.time = time;
        this.engine = engine;
        this.random = random;
    }

    @Override
    public void opened(RunningPart part) {
        if (part.part() instanceof Performer performer) {
            EffectQueue queue = new EffectQueue(part, performer, part.host().ledger(), time, engine, random);
            byExtension.put(part.name(), queue);
            queue.begin();
        }
    }

    @Override
    public void closing(RunningPart part) {
        Optional.ofNullable(byExtension.remove(part.name())).ifPresent(EffectQueue::stop);
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
        return Optional.ofNullable(byExtension.get(extension))
                .map(queue -> queue.settled(claim))
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    boolean busy(String extension, ClaimId claim) {
        return Optional.ofNullable(byExtension.get(extension))
                .filter(queue -> queue.busy(claim))
                .isPresent();
    }
}
