package io.enipam.pluginhost.controller;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.port.TraceSink.Subject;
import io.enipam.pluginhost.extension.Effects;
import io.enipam.sdk.Next;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The traces of one controller's keys: from the first reconcile of a key to where it is done and none of its effects waits, the
 * retries, pauses and effects between are one trace. One that goes on for {@value #MOST_RECONCILES} reconciles is continued by another, so
 * that the trace of a key that fails for days is a recent one. Thread-safe; {@code this} guards all fields.
 */
final class KeyStories {
    /** How many are under way; the oldest is ended for another one. */
    static final int MOST_OPEN = 256;

    static final int MOST_RECONCILES = 10;

    private final String plugin;
    private final String extension;
    private final TraceSink traces;
    private final Effects effects;
    private final Map<String, Story> open = new LinkedHashMap<>();

    /** @param effects of the part, whose end a trace waits for */
    KeyStories(String plugin, String extension, TraceSink traces, Effects effects) {
        this.plugin = plugin;
        this.extension = extension;
        this.traces = traces;
        this.effects = effects;
    }

    private static final class Story {
        private final Trace trace;
        private int reconciles;
        private Span pause = Span.NONE;
        private Optional<Next.Retry> failure = Optional.empty();

        Story(Trace trace) {
            this.trace = trace;
        }

        void end() {
            pause.done();
            failure.ifPresentOrElse(
                    retry -> trace.failed(
                            retry.kind().name(), retry.why(), "'plugin info' shows when the key is tried again"),
                    trace::done);
        }
    }

    /** A key is reconciled from now on. */
    synchronized Span reconciling(String key, Duration waited) {
        Story known = open.get(key);
        if (known != null && known.reconciles == MOST_RECONCILES) {
            end(key);
        }
        Story story = story(key);
        story.reconciles++;
        story.pause.done();
        return story.trace.step("RECONCILE").with("queued", waited.toMillis() + " ms");
    }

    /** An effect of a key is performed from now on. */
    Span performing(String key, PendingEffect effect) {
        Span step;
        boolean left;
        synchronized (this) {
            Story story = story(key);
            left = story.reconciles == 0;
            step = story.trace.step("EFFECT").with("handler", effect.handler()).with("token", effect.token());
        }
        if (left) {
            endWhenSettled(key, 0); // one that a former leader, or a former run of the daemon, has left
        }
        return step;
    }

    /** By this. */
    private Story story(String key) {
        Story known = open.get(key);
        if (known != null) {
            return known;
        }
        if (open.size() == MOST_OPEN) {
            end(open.keySet().iterator().next());
        }
        Trace trace = traces.begin(Trace.Operation.RECONCILE, Subject.named(extension + "/" + key));
        trace.with("plugin", plugin);
        Story story = new Story(trace);
        open.put(key, story);
        return story;
    }

    /**
     * A reconcile has ended.
     *
     * @param pause until the next one, if there is to be one
     */
    void reconciled(String key, Next next, Optional<Duration> pause) {
        int reconciles;
        synchronized (this) {
            reconciles = noted(key, next, pause);
        }
        if (next instanceof Next.Done) {
            endWhenSettled(key, reconciles);
        }
    }

    /** By this. Returns how often the key was reconciled in its trace. */
    private int noted(String key, Next next, Optional<Duration> pause) {
        Story story = open.get(key);
        if (story == null) {
            return 0;
        }
        story.failure = next instanceof Next.Retry retry ? Optional.of(retry) : Optional.empty();
        pause.ifPresentOrElse(
                time -> story.pause = story.trace
                        .step("WAIT")
                        .with("pause", time.toMillis() + " ms")
                        .with("why", next instanceof Next.Again again ? again.why() : ""),
                () -> story.failure.ifPresent(failure -> end(key)));
        return story.reconciles;
    }

    private void endWhenSettled(String key, int reconciles) {
        effects.settled(extension, Cause.of(key)).whenComplete((done, failure) -> settled(key, reconciles, failure));
    }

    /**
     * The effects of a key are performed, or one can only be after a change. Ends its trace, unless the key was reconciled since.
     *
     * @param reconciles of its trace until then
     */
    private synchronized void settled(String key, int reconciles, @Nullable Throwable failure) {
        Story story = open.get(key);
        if (story == null || story.reconciles != reconciles) {
            return;
        }
        if (failure != null) {
            Stages.fail(story.trace, failure);
        }
        end(key);
    }

    /** By this. */
    private void end(String key) {
        Optional.ofNullable(open.remove(key)).ifPresent(Story::end);
    }

    /** The controller is not active any more. */
    synchronized void endAll() {
        List.copyOf(open.keySet()).forEach(this::end);
    }
}
