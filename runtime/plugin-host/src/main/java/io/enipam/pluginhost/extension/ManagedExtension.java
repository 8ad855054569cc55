package io.enipam.pluginhost.extension;

import io.enipam.engine.port.TimeSource;
import io.enipam.pluginhost.extension.Extensions.Candidate;
import io.enipam.pluginhost.extension.Extensions.ExtensionView;
import io.enipam.pluginhost.extension.Extensions.RunningPart;
import io.enipam.pluginhost.extension.Extensions.State;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * What is wanted of one extension, and how far it is. Thread-safe.
 *
 * <pre>
 * CLOSED -> OPENING -> RUNNING -> CLOSED     CLOSED is entered when the close begins; the next step waits for its end
 *           OPENING -> FAILED -> OPENING     after a pause, or at once when the settings change
 *                      FAILED -> CLOSED      not wanted any more
 * </pre>
 */
final class ManagedExtension {
    private final Candidate candidate;
    private final TimeSource time;
    // all by this
    private State state = State.CLOSED;
    private Instant since;
    private boolean wanted;
    private Settings settings = Settings.of(List.of(), Map.of());
    /** What the part was opened with, or took, or what opening it failed with. */
    private Settings tried = settings;

    private boolean refused;
    private Optional<RunningPart> running = Optional.empty();
    private String cause = "";
    private Optional<Instant> nextTry = Optional.empty();
    private int failures;

    ManagedExtension(Candidate candidate, TimeSource time) {
        this.candidate = candidate;
        this.time = time;
        this.since = time.now();
    }

    /** What is to be done next. */
    record Step(Kind kind, Settings settings, Optional<RunningPart> running) {
        enum Kind {
            NONE,
            OPEN,
            RECONFIGURE,
            CLOSE
        }
    }

    Candidate candidate() {
        return candidate;
    }

    String plugin() {
        return candidate.plugin();
    }

    synchronized Settings settings() {
        return settings;
    }

    synchronized void want(boolean enabled, Settings now) {
        wanted = enabled;
        settings = now;
    }

    /** Begins the next step; the caller does it, and reports how it ended before it asks again. */
    synchronized Step next() {
        boolean changed = !settings.equals(tried);
        Step.Kind kind = switch (state) {
            case CLOSED -> wanted ? Step.Kind.OPEN : Step.Kind.NONE;
            case FAILED -> {
                if (!wanted) {
                    reset();
                    become(State.CLOSED);
                    yield Step.Kind.NONE;
                }
                yield changed || nextTry.isEmpty() ? Step.Kind.OPEN : Step.Kind.NONE;
            }
            case RUNNING -> {
                if (!wanted || refused) {
                    yield Step.Kind.CLOSE;
                }
                yield changed ? Step.Kind.RECONFIGURE : Step.Kind.NONE;
            }
            case OPENING -> throw new IllegalStateException("the step before has not ended");
        };
        if (kind == Step.Kind.OPEN) {
            failures = changed ? 0 : failures;
            tried = settings;
            nextTry = Optional.empty();
            become(State.OPENING);
        }
        return new Step(kind, settings, running);
    }

    synchronized void opened(RunningPart part) {
        running = Optional.of(part);
        reset();
        become(State.RUNNING);
    }

    /** @param pause by the number of failures in a row */
    synchronized Failure failed(String why, IntFunction<Duration> pause) {
        boolean news = !why.equals(cause);
        failures++;
        cause = why;
        Duration left = pause.apply(failures);
        nextTry = Optional.of(time.now().plus(left));
        become(State.FAILED);
        return new Failure(failures, left, news);
    }

    /**
     * @param number of failures in a row, this one included
     * @param pause until the next try
     * @param news whether it failed differently, or for the first time
     */
    record Failure(int number, Duration pause, boolean news) {}

    /** The pause after a failure is over. */
    synchronized void due(Failure failure) {
        if (state == State.FAILED && failures == failure.number()) {
            nextTry = Optional.empty();
        }
    }

    synchronized void reconfigured(Settings now, boolean taken) {
        tried = now;
        refused = !taken;
    }

    /** The part is not to be used any more. */
    synchronized void closing() {
        running = Optional.empty();
        refused = false;
        become(State.CLOSED);
    }

    synchronized void closed() {
        since = time.now();
    }

    synchronized Optional<RunningPart> running() {
        return running;
    }

    synchronized ExtensionView view() {
        return new ExtensionView(candidate.plugin(), candidate.extension().name(), state, since, cause, nextTry);
    }

    private void reset() {
        cause = "";
        failures = 0;
        nextTry = Optional.empty();
    }

    private void become(State next) {
        state = next;
        since = time.now();
    }
}
