package io.enipam.pluginhost.controller;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.controller.ControllerView.State;
import io.enipam.pluginhost.controller.KeyQueue.Key;
import io.enipam.pluginhost.controller.SourceSet.Declared;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.pluginhost.guard.PluginCallException;
import io.enipam.pluginhost.guard.PluginText;
import io.enipam.sdk.Controller;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Next;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * A controller for as long as this host leads and its part is open: sources, queue and workers.
 *
 * <p>A worker is through with a key when the call has returned and its commit has an outcome, whatever the deadline: until then no
 * other worker takes the key, and so the same key is never reconciled twice at once. A call beyond its deadline can commit nothing
 * any more, nor can one when the host has stopped to lead: its transaction asks for that last.
 *
 * <p>The plugin's code runs on the plugin's threads: reconciles on as many as there are workers, apart from the part's other calls.
 * Thread-safe.
 */
final class ActiveController {
    private static final Duration OPEN = Duration.ofSeconds(10);

    /** For the controller's code and the commit together. */
    private static final Duration RECONCILE = Duration.ofSeconds(5);

    /** After a call that was not made, since the breaker is open or threads hang. */
    private static final Duration REST = Duration.ofSeconds(1);

    private static final Backoff BACKOFF =
            Backoff.doubling(Duration.ofSeconds(1), Duration.ofMinutes(1)).spread(0.2);

    private final RunningPart part;
    private final Controller controller;
    private final Surroundings on;
    private final ReconcileCounts counts;
    private final KeyStories stories;
    private final AtomicBoolean pumping = new AtomicBoolean();
    private volatile Optional<Running> running = Optional.empty();
    private volatile String trouble = "";
    private volatile boolean resting;
    private volatile boolean stopped;

    ActiveController(
            RunningPart part, Controller controller, Surroundings on, ReconcileCounts counts, KeyStories stories) {
        this.part = part;
        this.controller = controller;
        this.on = on;
        this.counts = counts;
        this.stories = stories;
    }

    /**
     * What all controllers of a host have in common.
     *
     * @param engine where outcomes are noted, and for pauses
     * @param random spreads the pauses
     */
    record Surroundings(
            Leadership leadership, TimeSource time, Scheduler engine, EventSink events, RandomGenerator random) {}

    /** What there is once the controller has said what it watches. */
    private record Running(KeyQueue keys, SourceSet sources, GuardedCalls lane) {}

    /** Asks the controller what it watches, and opens that. */
    void begin() {
        begin(1);
    }

    private void begin(int attempt) {
        if (stopped) {
            return;
        }
        part.calls()
                .call("watches", OPEN, () -> Declared.of(controller.watches(), controller.limits()))
                .whenComplete((declared, failure) -> {
                    if (failure == null) {
                        run(declared);
                    } else {
                        trouble = String.valueOf(Stages.cause(failure).getMessage());
                        on.engine().after(BACKOFF.pause(attempt, on.random()), () -> begin(attempt + 1));
                    }
                });
    }

    private void run(Declared declared) {
        KeyQueue keys = new KeyQueue(declared.limits(), on.time(), on.engine(), on.random(), this::pump);
        GuardedCalls lane = part.calls()
                .apart("controller " + part.name(), declared.limits().workers());
        SourceSet sources = new SourceSet(part, declared.sources(), on, key -> told(keys, key), this::pump);
        synchronized (this) {
            if (stopped) {
                lane.end();
                return;
            }
            trouble = "";
            running = Optional.of(new Running(keys, sources, lane));
        }
        sources.open();
    }

    /** On any thread; what it leads to is done on the engine's, once for many keys. */
    private boolean told(KeyQueue keys, String key) {
        boolean room = keys.told(key);
        if (pumping.compareAndSet(false, true)) {
            on.engine().execute(this::pump);
        }
        return room;
    }

    private void pump() {
        pumping.set(false);
        running.ifPresent(now -> {
            while (!resting && now.sources().ready() && on.leadership().leads()) {
                Optional<Key> next = now.keys().take();
                if (next.isEmpty()) {
                    return;
                }
                reconcile(now, next.get());
            }
        });
    }

    private void reconcile(Running now, Key key) {
        Span span = stories.reconciling(key.name, now.keys().waited(key));
        long begun = on.time().nanoTime();
        Attempt attempt = new Attempt(key.name);
        now.lane().later("reconcile", RECONCILE, attempt::run).whenComplete((answer, failure) -> {
            Optional<Next> outcome = failure == null ? answer : failed(Stages.cause(failure));
            CompletableFuture<Void> through = attempt.end();
            if (!through.isDone() && outcome.isPresent() && outcome.get() instanceof Next.Retry late) {
                now.keys().late(key, late);
            }
            through.thenRunAsync(
                    () -> ended(
                            now, key, outcome, span, Duration.ofNanos(on.time().nanoTime() - begun)),
                    on.engine()::execute);
        });
    }

    /** Empty if the controller was not asked. */
    private static Optional<Next> failed(Throwable cause) {
        if (cause instanceof PluginCallException call) {
            return call.reason() == PluginCallException.Reason.REFUSED
                    ? Optional.empty()
                    : Optional.of(Next.retry(call.kind(), String.valueOf(call.getMessage())));
        }
        return Optional.of(Next.retry(ErrorKind.INTERNAL, String.valueOf(cause.getMessage())));
    }

    /** One call of reconcile. Its lock guards the fields. */
    private final class Attempt {
        private final String key;
        private final CompletableFuture<Void> through = new CompletableFuture<>();
        private boolean begun;
        private boolean over;

        Attempt(String key) {
            this.key = key;
        }

        /** On a thread of the plugin's. */
        CompletionStage<Optional<Next>> run() {
            synchronized (this) {
                if (over) {
                    return CompletableFuture.completedFuture(Optional.empty());
                }
                begun = true;
            }
            CompletionStage<Next> stage;
            try {
                stage = part.host().ledger().reconcile(key, controller, this::mayCommit);
            } catch (Throwable e) {
                through.complete(null);
                throw e;
            }
            return stage.handle((next, failure) -> {
                try {
                    return failure == null ? Optional.of(clean(next)) : withoutAnswer(failure);
                } finally {
                    through.complete(null);
                }
            });
        }

        /** A journal that fails is no failure of the plugin's. */
        private Optional<Next> withoutAnswer(Throwable failure) {
            Throwable cause = Stages.cause(failure);
            if (cause instanceof JournalException journal) {
                return mayCommit()
                        ? Optional.of(Next.retry(journal.kind(), PluginText.line(journal.getMessage())))
                        : Optional.empty();
            }
            throw new CompletionException(cause);
        }

        private synchronized boolean mayCommit() {
            return !over && !stopped && on.leadership().leads();
        }

        /** It can commit nothing any more that it has not committed yet; completes when nothing of it is under way. */
        synchronized CompletableFuture<Void> end() {
            over = true;
            if (!begun) {
                through.complete(null);
            }
            return through;
        }
    }

    /** What a plugin answered, fit to be shown. */
    private static Next clean(Next next) {
        if (next instanceof Next.Retry retry) {
            return Next.retry(Objects.requireNonNull(retry.kind()), PluginText.line(retry.why()));
        }
        return next instanceof Next.Again again ? Next.again(again.after(), PluginText.line(again.why())) : next;
    }

    private void ended(Running now, Key key, Optional<Next> answer, Span span, Duration took) {
        answer.ifPresentOrElse(
                next -> {
                    counts.add(next, took);
                    told(span, next);
                    stories.reconciled(key.name, next, now.keys().answered(key, next));
                },
                () -> {
                    span.with("asked", "no").done();
                    rest();
                });
        // the last, since another worker may take the key at once
        now.keys().release(key, answer.isPresent());
        if (stopped) {
            stories.endAll(); // it may have begun one since
        }
        pump();
    }

    private static void told(Span span, Next next) {
        if (next instanceof Next.Retry retry) {
            span.failed(retry.kind().name(), retry.why());
        } else {
            span.done();
        }
    }

    private void rest() {
        resting = true;
        on.engine().after(REST, () -> {
            resting = false;
            pump();
        });
    }

    ControllerView view() {
        Optional<Running> now = running;
        String why = now.map(it -> it.sources().trouble()).orElse(trouble);
        State state = !why.isEmpty()
                ? State.LOST
                : now.filter(it -> it.sources().ready()).isPresent() ? State.ACTIVE : State.SYNCING;
        return new ControllerView(
                part.plugin(),
                part.name(),
                state,
                why,
                now.map(it -> it.keys().load()).orElse(ControllerView.Load.NONE),
                counts.now(),
                now.map(it -> it.keys().failing()).orElse(List.of()));
    }

    /** Ends it: reconciles that are under way commit nothing any more. Completes when its sources are closed. */
    CompletableFuture<Void> stop() {
        Optional<Running> last;
        synchronized (this) {
            stopped = true;
            last = running;
        }
        CompletableFuture<Void> closed = last.map(now -> {
                    now.keys().stop();
                    now.lane().end();
                    return now.sources().stop();
                })
                .orElseGet(() -> CompletableFuture.completedFuture(null));
        stories.endAll();
        return closed;
    }
}
