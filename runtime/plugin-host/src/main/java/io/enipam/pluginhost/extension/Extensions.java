package io.enipam.pluginhost.extension;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.KeyedQueue;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.ManagedExtension.Failure;
import io.enipam.pluginhost.extension.ManagedExtension.Step;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.Part;
import io.enipam.sdk.Role;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Voter;
import io.enipam.sdk.ledger.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The extensions of all plugins: opens those that are enabled, beside whatever else the daemon does, and closes those that are
 * not. Thread-safe.
 *
 * <p>{@link #configure} says what is wanted; each extension then does one step after the other ({@link KeyedQueue}), until it is
 * as wanted: no two calls that open, reconfigure or close one of them overlap. One that cannot be opened is tried again with
 * back-off, and at once when its settings change. The plugin's code runs on the plugin's own threads within deadlines; the
 * engine's threads only take note.
 */
public final class Extensions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Extensions.class);

    /** As for a policy or a factory. */
    private static final Duration OPEN = Duration.ofSeconds(10);

    /** A close has a deadline of its own, well below. */
    private static final Duration LAST_STEPS = Duration.ofSeconds(20);

    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(1)).spread(0.2);

    private final Map<String, ManagedExtension> byName = new ConcurrentHashMap<>();
    private final TimeSource time;
    private final Scheduler engine;
    private final EventSink events;
    private final RandomGenerator random;
    private final KeyedQueue<String> steps = new KeyedQueue<>();
    private final List<PartListener> listeners = new CopyOnWriteArrayList<>();
    private volatile Wanted wanted = new Wanted(Set.of(), extension -> Settings.usual(List.of()));

    /**
     * @param random spreads the next tries
     * @param engine where outcomes are noted and listeners are called
     */
    public Extensions(TimeSource time, Scheduler engine, EventSink events, RandomGenerator random) {
        this.time = time;
        this.engine = engine;
        this.events = events;
        this.random = random;
    }

    /**
     * An extension that can be opened.
     *
     * @param extension its name is constant, and asking for it runs none of the plugin's code
     * @param calls to the extension and to what it opens
     * @param lend makes what one opening is lent, with the settings in force; may throw {@link FactoryException}
     */
    public record Candidate(String plugin, Extension extension, GuardedCalls calls, Supplier<LentHost> lend) {}

    /** What one opening is lent. */
    public interface LentHost extends Host {
        /** The host's rows for the part; its journal is that of the ledger. */
        Ledger ledger();

        /** Takes back what was lent: it was not opened. */
        void abandon();

        /** What was opened with it is closed. */
        default void ended() {}
    }

    /**
     * A part that runs.
     *
     * @param plugin the id of its plugin
     * @param name the extension's
     * @param calls every call of the part goes through here
     */
    public record RunningPart(String plugin, String name, Part part, LentHost host, GuardedCalls calls) {}

    /** Is told of parts that come and go: on the engine's threads, of one extension in order. Must not block. */
    public interface PartListener {
        /** The part runs from now on. */
        void opened(RunningPart part);

        /** The part is about to be closed: it is not called any more. */
        default void closing(RunningPart part) {}

        /** Other extensions are enabled than before, or may be. */
        default void configured() {}
    }

    /** What an extension does. */
    public enum State {
        /** It is not enabled. */
        CLOSED,
        OPENING,
        RUNNING,
        /** It could not be opened. */
        FAILED
    }

    /**
     * An extension at one moment.
     *
     * @param since when it came into this state
     * @param cause why it failed at the last try; empty text once it runs or is closed
     * @param nextTry when it is opened again, if it failed
     */
    public record ExtensionView(
            String plugin, String name, State state, Instant since, String cause, Optional<Instant> nextTry) {}

    /** Registers a listener; to be called before the first {@link #configure}. */
    public void follow(PartListener listener) {
        listeners.add(listener);
    }

    /** All extensions, by name. */
    public List<ExtensionView> all() {
        return byName.keySet().stream()
                .sorted()
                .map(name -> byName.get(name).view())
                .toList();
    }

    /** One of them by its name. */
    public Optional<ExtensionView> view(String name) {
        return Optional.ofNullable(byName.get(name)).map(ManagedExtension::view);
    }

    /**
     * The extensions that are enabled and vote on a ballot, whether they run or not. One that no plugin has that is loaded is among
     * them: it may.
     */
    public Set<String> voters(String ballot) {
        return wanted.enabled().stream()
                .filter(name -> Optional.ofNullable(byName.get(name))
                        .map(known -> known.candidate().extension().ballot())
                        .map(Optional.of(ballot)::equals)
                        .orElse(true))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether one of them is being opened. */
    public boolean opening() {
        return byName.values().stream().anyMatch(extension -> extension.view().state() == State.OPENING);
    }

    /** The part that an extension runs now. */
    public Optional<RunningPart> running(String name) {
        return Optional.ofNullable(byName.get(name)).flatMap(ManagedExtension::running);
    }

    /** The parts that run now, by name. */
    public List<RunningPart> running() {
        return byName.keySet().stream()
                .sorted()
                .flatMap(name -> running(name).stream())
                .toList();
    }

    /**
     * Says which extensions are wanted, and with which settings. Returns at once.
     *
     * @param enabled names; one that no plugin has is passed over
     * @param settings those of the extension's plugin
     */
    public void configure(Set<String> enabled, Function<Extension, Settings> settings) {
        synchronized (byName) {
            wanted = new Wanted(Set.copyOf(enabled), settings);
            byName.forEach(this::wantedNow);
        }
        engine.execute(() -> tell(PartListener::configured));
    }

    /**
     * Adds the extensions of a plugin that was loaded. One that takes the place of another one of its name is opened when that is
     * closed.
     */
    public void add(List<Candidate> candidates) {
        synchronized (byName) {
            for (Candidate candidate : candidates) {
                String name = candidate.extension().name();
                ManagedExtension added = new ManagedExtension(candidate, time);
                ManagedExtension former = byName.put(name, added);
                if (former != null) {
                    former.want(false, former.settings());
                    proceed(name, former);
                }
                wantedNow(name, added);
            }
        }
        engine.execute(() -> tell(PartListener::configured));
    }

    private void wantedNow(String name, ManagedExtension extension) {
        extension.want(
                wanted.enabled().contains(name),
                wanted.settings().apply(extension.candidate().extension()));
        proceed(name, extension);
    }

    private record Wanted(Set<String> enabled, Function<Extension, Settings> settings) {}

    private CompletableFuture<?> proceed(String name, ManagedExtension extension) {
        return steps.run(name, () -> next(extension));
    }

    /** One step after the other, until the extension is as wanted, or has to wait. */
    private CompletableFuture<?> next(ManagedExtension extension) {
        Step step = extension.next();
        return switch (step.kind()) {
            case NONE -> CompletableFuture.completedFuture(null);
            case OPEN -> open(extension).thenCompose(done -> next(extension));
            case RECONFIGURE -> reconfigure(extension, step).thenCompose(done -> next(extension));
            case CLOSE -> close(extension, step).thenCompose(done -> next(extension));
        };
    }

    private CompletableFuture<Void> open(ManagedExtension extension) {
        Candidate from = extension.candidate();
        LentHost host;
        try {
            host = from.lend().get();
        } catch (RuntimeException e) {
            failed(extension, e);
            return CompletableFuture.completedFuture(null);
        }
        return from.calls()
                .open("open", OPEN, () -> opened(from.extension(), host), from.calls()::close)
                .handle((part, failure) -> {
                    if (failure == null) {
                        RunningPart running = new RunningPart(
                                extension.plugin(), from.extension().name(), part, host, from.calls());
                        extension.opened(running);
                        tell(listener -> listener.opened(running));
                    } else {
                        host.abandon();
                        failed(extension, Stages.cause(failure));
                    }
                    return null;
                });
    }

    private static Part opened(Extension extension, Host host) {
        Role here = host.node().role();
        if (!extension.roles().contains(here)) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    "it runs on hosts of role " + extension.roles() + ", and this one has role " + here);
        }
        Part part = extension.open(host);
        if (part instanceof Voter != extension.ballot().isPresent()) {
            part.close();
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    extension.ballot().isPresent()
                            ? "it votes on ballot " + extension.ballot().get() + ", and what it opened is no Voter"
                            : "what it opened is a Voter, and its ballot() names no ballot");
        }
        return part;
    }

    private void failed(ManagedExtension extension, Throwable failure) {
        String name = extension.candidate().extension().name();
        String why = String.valueOf(failure.getMessage());
        Failure failed = extension.failed(why, failures -> BACKOFF.pause(failures, random));
        engine.after(failed.pause(), () -> {
            extension.due(failed);
            proceed(name, extension);
        });
        if (failed.news()) {
            events.error("ExtensionFailed", name, "extension " + name + " does not run: " + why);
        }
    }

    private CompletableFuture<Void> reconfigure(ManagedExtension extension, Step step) {
        RunningPart running = step.running().orElseThrow();
        return running.calls()
                .call("reconfigure", OPEN, () -> running.part().reconfigure(step.settings()))
                .handle((taken, failure) -> {
                    extension.reconfigured(step.settings(), failure == null && taken);
                    return null;
                });
    }

    private CompletableFuture<Void> close(ManagedExtension extension, Step step) {
        RunningPart running = step.running().orElseThrow();
        extension.closing();
        tell(listener -> listener.closing(running));
        return running.calls().close(running.part()).thenRun(() -> {
            running.host().ended();
            extension.closed();
        });
    }

    private void tell(Consumer<PartListener> call) {
        for (PartListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (RuntimeException e) {
                LOG.error("a listener of extensions failed; this is a bug of enipam", e);
            }
        }
    }

    /** Closes all parts, and waits for that for {@code 20 s} at most. */
    @Override
    public void close() {
        CompletableFuture<?>[] all = byName.entrySet().stream()
                .map(entry -> {
                    entry.getValue().want(false, entry.getValue().settings());
                    return proceed(entry.getKey(), entry.getValue());
                })
                .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(all).get(LAST_STEPS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("the extensions of plugins were not closed in time: {}", e.toString());
        }
    }
}
